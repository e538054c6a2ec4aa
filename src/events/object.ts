// One Durable Object for the whole gateway: the sockets of open event streams. It hibernates while nothing happens. One read of D1 serves
// all streams.

import { DurableObject } from "cloudflare:workers";
import * as z from "zod";
import { EVENT_LIMITS } from "../domain/events/events";
import type { EventsObject } from "../services/events/api";

/** The header with the digest of the user who opens a stream. */
export const STREAM_USER = "x-stream-user";

const attachmentSchema = z.object({ sent: z.number() });

/** The code that reads D1, loaded with the first event. */
let reading: typeof import("./read-events") | null = null;

export class EventHub extends DurableObject<Env> implements EventsObject {
  #work: Promise<void> = Promise.resolve();

  /** Opens the socket of a stream. Returns 101, or 429 if the user or the gateway has too many. */
  override async fetch(request: Request): Promise<Response> {
    const user = request.headers.get(STREAM_USER) ?? "";
    if (this.ctx.getWebSockets(user).length >= EVENT_LIMITS.perUser) return new Response("user", { status: 429 });
    if (this.ctx.getWebSockets().length >= EVENT_LIMITS.total) return new Response("total", { status: 429 });
    const { 0: client, 1: server } = new WebSocketPair();
    this.ctx.acceptWebSocket(server, [user]);
    return new Response(null, { status: 101, webSocket: client });
  }

  /** Sends new events to all streams, in order. */
  async announce(seq: number): Promise<void> {
    this.#work = this.#work.then(() => this.#send(seq)).catch(() => undefined);
    await this.#work;
  }

  async #send(seq: number): Promise<void> {
    const sockets = this.ctx.getWebSockets();
    if (sockets.length === 0) return;
    // Kept with the sockets, because the memory of the object does not outlive its hibernation.
    const sent = Math.max(
      ...sockets.map((socket) => attachmentSchema.safeParse(socket.deserializeAttachment()).data?.sent ?? -1),
    );
    let after = sent === -1 ? Math.max(0, seq - EVENT_LIMITS.lookBack) : sent;
    if (seq <= after) return;
    reading ??= await import("./read-events");
    for (let isMore = true; isMore; ) {
      const found = await reading.readEvents(this.env, after);
      isMore = found.length === EVENT_LIMITS.read;
      after = found.at(-1)?.seq ?? after;
      const text = JSON.stringify(found);
      for (const socket of this.ctx.getWebSockets()) {
        if (found.length > 0) sendTo(socket, text);
        socket.serializeAttachment({ sent: after });
      }
    }
  }

  /** Streams send nothing. */
  override webSocketMessage(socket: WebSocket): void {
    socket.close(1008);
  }

  override webSocketClose(socket: WebSocket): void {
    socket.close(1000);
  }
}

/** A socket that is closing is left out. */
function sendTo(socket: WebSocket, text: string): void {
  try {
    socket.send(text);
  } catch {
    // Its reader connects again and continues.
  }
}
