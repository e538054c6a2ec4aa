// Connects event streams to the object that serves them.

import { sha256Hex } from "../domain/digest";
import { GatewayError } from "../domain/errors";
import { EVENT_LIMITS } from "../domain/events/limits";

/** The header with the digest of the user who opens a stream. */
export const STREAM_USER = "x-stream-user";

/** There is one object, because each event is read once for all streams. */
const hub = (env: Env) => env.EVENTS.getByName("events");

/** Tells open streams that an event was stored. If it fails, they receive the event with the next one. */
export async function announceEvent(env: Env, seq: number): Promise<void> {
  try {
    await hub(env).announce(seq);
  } catch {
    // The event is in the database.
  }
}

/** Opens a socket on which the object sends the events of all scopes. Throws `rate_limited` above the limits. */
export async function openEventSocket(env: Env, userId: string): Promise<WebSocket> {
  const user = await sha256Hex(`events ${userId}`);
  const answer = await hub(env).fetch("https://events/", { headers: { upgrade: "websocket", [STREAM_USER]: user } });
  const { webSocket } = answer;
  if (webSocket !== null) {
    webSocket.accept();
    return webSocket;
  }
  const isUsers = (await answer.text()) === "user";
  throw new GatewayError(
    "rate_limited",
    "TOO_MANY_STREAMS",
    isUsers
      ? `Too many open event streams (limit ${EVENT_LIMITS.perUser} per user). Close one.`
      : `Too many open event streams (limit ${EVENT_LIMITS.total}). Try again later.`,
  );
}
