// Checks quotas before something is created, and reports their use.

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

/** Throws if a user has the maximum number of keys. Two concurrent requests may both pass: the limit protects against accidents. */
export async function requireRoomForKey(context: Context, userId: string): Promise<void> {
  const limit = quotasOf(context.settings, "user").keys;
  const used = await countKeys(context.db, userId);
  if (used >= limit) throw quotaExceeded("keys", limit, used, "user");
}

/** Throws if a scope has the maximum number of ghosts. Members of a group share its quota; public has the quota of a user. */
export async function requireRoomForGhost(context: Context, scope: string): Promise<void> {
  const holder = quotaOwnerOf(scope);
  const limit = quotasOf(context.settings, holder ?? "user").ghosts;
  const used = await countGhosts(context.db, scope);
  if (used >= limit) throw quotaExceeded("ghosts", limit, used, holder);
}

/** One more version and its size. */
export interface Addition {
  isNew: boolean;
  bytes: number;
  databaseBytes: number;
}

/** Throws if a user or group has the maximum number of skills or versions, or would exceed the size limits. */
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
    // A user above the limit of skills can still update existing ones.
    if (quota === "skills" && !more.isNew) continue;
    if (after[quota] > quotas[quota]) throw quotaExceeded(quota, quotas[quota], used[quota], holder);
  }
}

/** Counts one more action of the caller today, or of what is made for another user. Throws above the daily limit. */
export async function countToday(
  context: Context,
  what: Counted,
  userId: string = context.caller.principal.userId,
): Promise<void> {
  requireBelowDailyLimit(context, what, await countUse(context.db, todaysUse(context, what, userId)));
}

/** Returns what to count for a user today. */
export function todaysUse(context: Context, what: Counted, userId: string = context.caller.principal.userId): Use {
  return { subject: userId, kind: what, windowStart: dayOf(context.now()) };
}

/** Throws if the `count`-th action of today exceeds the limit. */
export function requireBelowDailyLimit(context: Context, what: Counted, count: number): void {
  const limit = dailyLimits(context.settings)[what];
  if (count > limit) throw dailyLimitExceeded(what, limit, context.now());
}

/**
 * Like `countToday` for a repeatable request: if it was answered before, it is not counted and its response is returned.
 *
 * @param repeat the request's key, and the time since which responses are valid
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

/** Use of a quota and its limit. */
export interface Share {
  used: number;
  limit: number;
}

/** Use and limits of a scope's skills and ghosts. */
export type ScopeShares = Record<keyof SkillsUsed | "ghosts", Share>;

/** Use and limits of a user, including keys, stored files and today's actions. */
export interface UserShares {
  quotas: ScopeShares & { keys: Share; files: Share };
  today: Record<Counted, Share>;
}

/** Returns the caller's use, counted as on creation. For a request on behalf of a user, that user's. */
export async function readOwnUse(context: Context): Promise<UserShares> {
  const { userId } = context.caller.principal;
  const limits = quotasOf(context.settings, "user");
  const most = dailyLimits(context.settings);
  const day = dayOf(context.now());
  const since = filesSince(context.settings, context.now());
  const asked = { day, kinds: COUNTED, files: since };
  const { keys, files, today, ...scope } = await readUserUse(context.db, userId, userScope(userId), asked);
  // Rejected attempts are counted too, so the count is capped at the limit.
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

/** Returns a group's use. The caller's access to the group is checked before. */
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
