// A host's `subscriptions/listen`: the Worker holds its stream, and a socket to the conversation's object says when to tell it.

import type { ServerEvent, ServerEventBus } from "@modelcontextprotocol/server";
import { DURATIONS } from "../domain/durations";

/** What is told on a stream: that the list of tools changed, or what servers have beside them, whenever the object says so. */
export class ObjectBus implements ServerEventBus {
  readonly #socket: WebSocket;
  readonly #ended: () => void;
  #isHeard = false;

  /** @param ended called when nothing more will come: a host that still listens is to ask again */
  constructor(socket: WebSocket, ended: () => void) {
    this.#socket = socket;
    this.#ended = ended;
  }

  /** Closes the socket unless a stream listens. */
  closeUnheard(): void {
    if (!this.#isHeard) this.#socket.close(1000);
  }

  publish(): void {
    throw new Error("only the conversation's object publishes");
  }

  subscribe(listener: (event: ServerEvent) => void): () => void {
    this.#isHeard = true;
    const socket = this.#socket;
    socket.addEventListener("message", ({ data }) => {
      if (data !== "things") return listener({ kind: "tools_list_changed" });
      listener({ kind: "resources_list_changed" });
      listener({ kind: "prompts_list_changed" });
    });
    socket.addEventListener("close", this.#ended);
    const timer = setTimeout(this.#ended, DURATIONS.listen);
    return () => {
      clearTimeout(timer);
      socket.close(1000);
    };
  }
}
