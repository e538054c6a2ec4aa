// Asking whether there is room before something is made, and telling how much of it is used.

import { groupScope, userScope } from "../domain/access/access";
import {
  COUNTED,
  type Counted,
  dailyLimitExceeded,
  dailyLimits,
  dayOf,
  fileRoom,
  filesSince,
  type QuotaOwner,
  quotaExceeded,
  quotaOwnerOf,
  quotasOf,
  SKILL_QUOTAS,
} from "../domain/access/quota";
import type { QuotaSettings } from "../domain/settings/settings";
import { readReplyOrCount, type StoredReply } from "../storage/d1/idempotency";
import {
  countGhosts,
  countKeys,
  countUse,
  readScopeUse,
  readUserUse,
  type SkillsUsed,
  type Use,
} from "../storage/d1/usage";
import type { Context } from "./context";

/** Refuses when a user has as many keys as one may have. Two at once may both find room: the limit is for accidents. */
export async function requireRoomForKey(context: Context, userId: string): Promise<void> {
  const limit = quotasOf(context.settings, "user").keys;
  const used = await countKeys(context.db, userId);
  if (used >= limit) throw quotaExceeded("keys", limit, used, "user");
}

/** The same of ghosts, where all members of a group share its room, and what is public has as much as a user. */
export async function requireRoomForGhost(context: Context, scope: string): Promise<void> {
  const holder = quotaOwnerOf(scope);
  const limit = quotasOf(context.settings, holder ?? "user").ghosts;
  const used = await countGhosts(context.db, scope);
  if (used >= limit) throw quotaExceeded("ghosts", limit, used, holder);
}

/** One more version, and what it takes. */
export interface Addition {
  isNew: boolean;
  bytes: number;
  databaseBytes: number;
}

/** Refuses when a user or a group has as many skills or versions as one may have, or they would take more than they may. */
export function requireRoomForSkill(
  settings: QuotaSettings,
  holder: QuotaOwner,
  used: SkillsUsed,
  more: Addition,
): void {
  const quotas = quotasOf(settings, holder);
  const after: SkillsUsed = {
    skills: used.skills + (more.isNew ? 1 : 0),
    versions: used.versions + 1,
    bytes: used.bytes + more.bytes,
    databaseBytes: used.databaseBytes + more.databaseBytes,
  };
  for (const quota of SKILL_QUOTAS) {
    // A user who has too many skills already may go on with those.
    if (quota === "skills" && !more.isNew) continue;
    if (after[quota] > quotas[quota]) throw quotaExceeded(quota, quotas[quota], used[quota], holder);
  }
}

/** Counts one more of what the caller does today, or of what is made for another user, and refuses beyond the limit of a day. */
export async function countToday(
  context: Context,
  what: Counted,
  userId: string = context.caller.principal.userId,
): Promise<void> {
  requireBelowDailyLimit(context, what, await countUse(context.db, todaysUse(context, what, userId)));
}

/** What is counted of a user today. */
export function todaysUse(context: Context, what: Counted, userId: string = context.caller.principal.userId): Use {
  return { subject: userId, kind: what, windowStart: dayOf(context.now()) };
}

/** Refuses what is done for the `count`-th time today, where that is once too often. */
export function requireBelowDailyLimit(context: Context, what: Counted, count: number): void {
  const limit = dailyLimits(context.settings)[what];
  if (count > limit) throw dailyLimitExceeded(what, limit, context.now());
}

/**
 * The same of a request that may be asked again: one that was answered is not counted, and its answer told.
 *
 * @param repeat the request's key, and since when answers count
 */
export async function countIfNew(
  context: Context,
  what: Counted,
  repeat: { userId: string; key: string; since: number },
): Promise<StoredReply | null> {
  const { reply, count } = await readReplyOrCount(context.db, repeat, todaysUse(context, what, repeat.userId));
  if (reply === null) requireBelowDailyLimit(context, what, count);
  return reply;
}

/** What is used of a quota, and how much one may. */
export interface Share {
  used: number;
  limit: number;
}

/** What the skills and ghosts of a scope are, beside what they may be. */
export type ScopeShares = Record<keyof SkillsUsed | "ghosts", Share>;

/** The same of a user, with keys, with what kept files take, and with what was made today. */
export interface UserShares {
  quotas: ScopeShares & { keys: Share; files: Share };
  today: Record<Counted, Share>;
}

/** What the caller has used, counted as it is counted when something is made. A request on behalf of a user tells that user's. */
export async function readOwnUse(context: Context): Promise<UserShares> {
  const { userId } = context.caller.principal;
  const limits = quotasOf(context.settings, "user");
  const most = dailyLimits(context.settings);
  const day = dayOf(context.now());
  const since = filesSince(context.settings, context.now());
  const asked = { day, kinds: COUNTED, files: since };
  const { keys, files, today, ...scope } = await readUserUse(context.db, userId, userScope(userId), asked);
  // Attempts that were refused are counted, too: more than the limit is used up, and no more.
  const done = (what: Counted) => share(Math.min(today[what] ?? 0, most[what]), most[what]);
  return {
    quotas: {
      ...shares(scope, limits),
      keys: share(keys, limits.keys),
      files: share(files, fileRoom(context.settings)),
    },
    today: {
      uploads: done("uploads"),
      conversations: done("conversations"),
      scripts: done("scripts"),
      keys: done("keys"),
    },
  };
}

/** What a group has used. Whether the caller may see that group is asked before. */
export async function readGroupUse(context: Context, group: string): Promise<ScopeShares> {
  return shares(await readScopeUse(context.db, groupScope(group)), quotasOf(context.settings, "group"));
}

function shares(used: SkillsUsed & { ghosts: number }, limits: ReturnType<typeof quotasOf>): ScopeShares {
  return {
    skills: share(used.skills, limits.skills),
    versions: share(used.versions, limits.versions),
    bytes: share(used.bytes, limits.bytes),
    databaseBytes: share(used.databaseBytes, limits.databaseBytes),
    ghosts: share(used.ghosts, limits.ghosts),
  };
}

function share(used: number, limit: number): Share {
  return { used, limit };
}
