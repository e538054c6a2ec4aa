// Asking whether there is room before something is made.

import { type Counted, DAILY, dayOf, QUOTAS, quotaExceeded, tooManyBytes, tooOften } from "../domain/quota";
import { countGhosts, countKeys, countUse, type SkillsUsed } from "../storage/usage";
import type { Context } from "./context";

/** Refuses when a user has as many keys as one may have. Two at once may both find room: the limit is for accidents. */
export async function requireRoomForKey(context: Context, userId: string): Promise<void> {
  const used = await countKeys(context.db, userId);
  if (used >= QUOTAS.keys) throw quotaExceeded("keys", used);
}

/** The same of ghosts, where a group has as much room as a user, whoever of it made them. */
export async function requireRoomForGhost(context: Context, scope: string): Promise<void> {
  const used = await countGhosts(context.db, scope);
  if (used >= QUOTAS.ghosts) throw quotaExceeded("ghosts", used);
}

/** Refuses when a user has as many own skills as one may have, or they would take more bytes than they may. */
export function requireRoomForSkill(used: SkillsUsed, { isNew, bytes }: { isNew: boolean; bytes: number }): void {
  if (used.bytes + bytes > QUOTAS.bytes) throw tooManyBytes(used.bytes);
  if (isNew && used.skills >= QUOTAS.skills) throw quotaExceeded("skills", used.skills);
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
