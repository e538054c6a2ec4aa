// Holding one of a user's places while a request of the chat endpoint runs.

import { CHAT_LIMITS } from "../../domain/chat/limits";
import { ChatRefusal } from "../../domain/chat/refusal";
import type { Context } from "../context";

/** The places of one user. */
export interface ChatSlots {
  /** Takes a place or keeps it for a while. `false`: all are taken. */
  holdPlace(id: string, most: number): Promise<boolean>;
  releasePlace(id: string): Promise<void>;
}

/** Gives a place back; more than once does no harm. */
export type ReleaseSlot = () => void;

/** Takes a place, and keeps it until it is given back. Refuses where the user has no more. */
export async function takeSlot(
  context: Context,
  places: ChatSlots,
  later: (work: Promise<unknown>) => void,
): Promise<ReleaseSlot> {
  const id = context.newId("place");
  const most = context.settings.CHAT_STREAMS;
  if (!(await places.holdPlace(id, most))) {
    const headers = { "retry-after": String(CHAT_LIMITS.placeWaitS) };
    const message = `A user may have ${most} requests running here at once. Send it again when one has ended.`;
    throw new ChatRefusal(429, "too_many_streams", message, { headers });
  }
  // Who cannot be reached now is told again with the next renewal, and forgets in the end.
  const renew = setInterval(() => later(places.holdPlace(id, most).catch(() => false)), CHAT_LIMITS.placeMs / 3);
  return () => {
    clearInterval(renew);
    later(places.releasePlace(id).catch(() => undefined));
  };
}
