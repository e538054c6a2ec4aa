// Asking whether there is room before something is made.

import {
  type Counted,
  DAILY,
  dayOf,
  GROUP_QUOTAS,
  holderOf,
  QUOTAS,
  type QuotaHolder,
  quotaExceeded,
  tooOften,
} from "../domain/access/quota";
import { countGhosts, countKeys, countUse, type SkillsUsed } from "../storage/d1/usage";
import type { Context } from "./context";

/** Refuses when a user has as many keys as one may have. Two at once may both find room: the limit is for accidents. */
export async function requireRoomForKey(context: Context, userId: string): Promise<void> {
  const used = await countKeys(context.db, userId);
  if (used >= QUOTAS.keys) throw quotaExceeded("keys", used);
}

/** The same of ghosts, where a group has as much room as a user, whoever of it made them, and so has what is public. */
export async function requireRoomForGhost(context: Context, scope: string): Promise<void> {
  const used = await countGhosts(context.db, scope);
  const holder = holderOf(scope) ?? "user";
  if (used >= (holder === "user" ? QUOTAS : GROUP_QUOTAS).ghosts) throw quotaExceeded("ghosts", used, holder);
}

/** One more version, and what it takes. */
export interface Addition {
  isNew: boolean;
  bytes: number;
  databaseBytes: number;
}

/** Refuses when a user or a group has as many skills or versions as one may have, or they would take more than they may. */
export function requireRoomForSkill(holder: QuotaHolder, used: SkillsUsed, more: Addition): void {
  const quotas = holder === "user" ? QUOTAS : GROUP_QUOTAS;
  const after: SkillsUsed = {
    skills: used.skills + (more.isNew ? 1 : 0),
    versions: used.versions + 1,
    bytes: used.bytes + more.bytes,
    databaseBytes: used.databaseBytes + more.databaseBytes,
  };
  for (const quota of ["skills", "versions", "bytes", "databaseBytes"] as const) {
    // A user who has too many skills already may go on with those.
    if (quota === "skills" && !more.isNew) continue;
    if (after[quota] > quotas[quota]) throw quotaExceeded(quota, used[quota], holder);
  }
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
