// One Durable Object for the whole gateway: the sockets of open event streams. It hibernates while nothing happens. Its code is loaded
// with the first stream or event.

import { DurableObject } from "cloudflare:workers";
import type { EventsObject } from "../services/events/api";

/** Cached from the first call on. */
let streams: typeof import("./streams") | null = null;

export class EventHub extends DurableObject<Env> implements EventsObject {
  #work: Promise<void> = Promise.resolve();

  override async fetch(request: Request): Promise<Response> {
    streams ??= await import("./streams");
    return streams.openSocket(this.ctx, request);
  }

  /** Sends new events to all streams, one announcement after the other. */
  async announce(seq: number): Promise<void> {
    streams ??= await import("./streams");
    const { sendEvents } = streams;
    this.#work = this.#work.then(() => sendEvents(this.ctx, this.env, seq)).catch(() => undefined);
    await this.#work;
  }

  /** Streams send nothing. */
  override webSocketMessage(socket: WebSocket): void {
    socket.close(1008);
  }

  override webSocketClose(socket: WebSocket): void {
    socket.close(1000);
  }
}
