// Sockets on which the Worker receives changes of the tool list for MCP hosts. The Worker holds the host's long stream. The socket
// hibernates here, so a listening host costs nothing while nothing changes.

import * as z from "zod";
import { GatewayError } from "../domain/errors";
import { QUESTION_LIMITS } from "../domain/questions/limits";

const TAG = "listener";
/** The socket's state during hibernation: the list its host has. */
const attachmentSchema = z.object({ listed: z.string() });

export class Listeners {
  readonly #ctx: DurableObjectState;

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx;
  }

  /** @param listed names the list that the host has */
  accept(listed: string): Response {
    if (this.#open().length >= QUESTION_LIMITS.listeners) {
      const message = `Listener limit of the conversation reached (${QUESTION_LIMITS.listeners}). Close another stream first.`;
      throw new GatewayError("rate_limited", "TOO_MANY_LISTENERS", message);
    }
    const { 0: client, 1: server } = new WebSocketPair();
    this.#ctx.acceptWebSocket(server, [TAG]);
    server.serializeAttachment({ listed });
    return new Response(null, { status: 101, webSocket: client });
  }

  any(): boolean {
    return this.#open().length > 0;
  }

  /** Notifies listeners that have another list, once. */
  tell(now: string): void {
    for (const socket of this.#open()) {
      const { listed } = attachmentSchema.parse(socket.deserializeAttachment());
      if (listed === now) continue;
      socket.serializeAttachment({ listed: now });
      socket.send("changed");
    }
  }

  tellThings(): void {
    for (const socket of this.#open()) socket.send("things");
  }

  #open(): WebSocket[] {
    return this.#ctx.getWebSockets(TAG).filter((socket) => socket.readyState === WebSocket.OPEN);
  }
}

/** Whether a socket belongs to a page and not to a listener. */
export function isPage(socket: WebSocket): boolean {
  return !attachmentSchema.safeParse(socket.deserializeAttachment()).success;
}
