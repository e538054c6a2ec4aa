// Implements `subscriptions/listen`: the Worker holds the host's stream, and a socket to the Durable Object signals changes.

import type { ServerEvent, ServerEventBus } from "@modelcontextprotocol/server";
import { DURATIONS } from "../domain/durations";

/** Emits notifications of changed tools, resources and prompts when the object signals them. */
export class ObjectBus implements ServerEventBus {
  readonly #socket: WebSocket;
  readonly #ended: () => void;
  #isHeard = false;

  /** @param ended called when nothing more follows: a host that still listens must reconnect */
  constructor(socket: WebSocket, ended: () => void) {
    this.#socket = socket;
    this.#ended = ended;
  }

  /** Closes the socket unless a stream uses it. */
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
