// Holds one of a user's concurrency slots while a request of the chat endpoint runs.

import { CHAT_LIMITS } from "../../domain/chat/limits";
import { ChatRefusal } from "../../domain/chat/refusal";
import type { Context } from "../context";

/** The slots of one user. */
export interface ChatSlots {
  /** Takes or renews a slot. Returns `false` if all are taken. */
  holdPlace(id: string, most: number): Promise<boolean>;
  releasePlace(id: string): Promise<void>;
}

/** Releases a slot. Calling it again does nothing. */
export type ReleaseSlot = () => void;

/** Takes a slot and renews it until it is released. Throws if the user has no free slot. */
export async function takeSlot(
  context: Context,
  places: ChatSlots,
  later: (work: Promise<unknown>) => void,
): Promise<ReleaseSlot> {
  const id = context.newId("place");
  const most = context.settings.CHAT_STREAMS;
  if (!(await places.holdPlace(id, most))) {
    const headers = { "retry-after": String(CHAT_LIMITS.placeWaitS) };
    const message = `Too many running requests (limit ${most} per user). Try again when one has ended.`;
    throw new ChatRefusal(429, "too_many_streams", message, { headers });
  }
  // A failed renewal is repeated; without renewals the slot expires.
  const renew = setInterval(() => later(places.holdPlace(id, most).catch(() => false)), CHAT_LIMITS.placeMs / 3);
  return () => {
    clearInterval(renew);
    later(places.releasePlace(id).catch(() => undefined));
  };
}
