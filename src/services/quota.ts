// Asking whether there is room before something is made.

import { type Counted, DAILY, dayOf, type Owned, QUOTAS, quotaExceeded, tooManyBytes, tooOften } from "../domain/quota";
import { countBytes, countOwned, countUse } from "../storage/usage";
import type { Context } from "./context";

/** Refuses when a user has as many as one may have. Two at once may both find room: the limit is for accidents. */
export async function requireRoom(
  context: Context,
  what: Owned,
  userId = context.caller.principal.userId,
): Promise<void> {
  const used = await countOwned(context.db, userId, what);
  if (used >= QUOTAS[what]) throw quotaExceeded(what, used);
}

/** Refuses when a user's own skills would take more than they may. */
export async function requireBytes(context: Context, userId: string, more: number): Promise<void> {
  const used = await countBytes(context.db, userId);
  if (used + more > QUOTAS.bytes) throw tooManyBytes(used);
}

/** Counts one more of what the caller does today, or of what is made for another user, and refuses beyond the limit of a day. */
export async function countToday(
  context: Context,
  what: Counted,
  userId: string = context.caller.principal.userId,
): Promise<void> {
  const count = await countUse(context.db, { subject: userId, kind: what, windowStart: dayOf(context.now()) });
  if (count > DAILY[what]) throw tooOften(what, context.now());
}
