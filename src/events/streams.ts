// Opens the sockets of event streams, and sends new events to all of them.

import type { RegistryEvent } from "../domain/events/events";
import { EVENT_LIMITS } from "../domain/events/limits";
import { primaryDatabase } from "../edge/context";
import { STREAM_USER } from "../edge/events";
import { eventsAfter } from "../storage/d1/events";

/** Opens the socket of a stream. Returns 101, or 429 if the user or the gateway has too many. */
export function openSocket(ctx: DurableObjectState, request: Request): Response {
  const user = request.headers.get(STREAM_USER) ?? "";
  if (ctx.getWebSockets(user).length >= EVENT_LIMITS.perUser) return new Response("user", { status: 429 });
  if (ctx.getWebSockets().length >= EVENT_LIMITS.total) return new Response("total", { status: 429 });
  const { 0: client, 1: server } = new WebSocketPair();
  ctx.acceptWebSocket(server, [user]);
  return new Response(null, { status: 101, webSocket: client });
}

/** Sends all events up to this one, and later ones that exist, to all streams that lack them. */
export async function sendEvents(ctx: DurableObjectState, env: Env, seq: number): Promise<void> {
  const sockets = ctx.getWebSockets();
  if (sockets.length === 0) return;
  // Kept with the sockets, because the memory of the object does not outlive its hibernation.
  const sent = Math.max(...sockets.map(sentTo));
  let after = sent === -1 ? Math.max(0, seq - EVENT_LIMITS.lookBack) : sent;
  if (seq <= after) return;
  for (let isMore = true; isMore; ) {
    const found = await readEvents(env, after);
    isMore = found.length === EVENT_LIMITS.read;
    after = found.at(-1)?.seq ?? after;
    const text = JSON.stringify(found);
    for (const socket of ctx.getWebSockets()) {
      if (found.length > 0) sendTo(socket, text);
      socket.serializeAttachment(after);
    }
  }
}

/** The primary is read, because a replica may lack the newest. */
function readEvents(env: Env, after: number): Promise<RegistryEvent[]> {
  return eventsAfter(primaryDatabase(env), after, EVENT_LIMITS.read);
}

/** Returns the number of the last event sent to a socket; -1: none yet. */
function sentTo(socket: WebSocket): number {
  const sent: unknown = socket.deserializeAttachment();
  return typeof sent === "number" ? sent : -1;
}

/** A socket that is closing is left out. */
function sendTo(socket: WebSocket, text: string): void {
  try {
    socket.send(text);
  } catch {
    // Its reader connects again and continues.
  }
}
