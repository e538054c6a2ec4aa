// How much one user or group may have, and how often one may do what makes something. Generous: they are for accidents and abuse.

import { GatewayError } from "../errors";
import { CONVERSATION_LIMITS } from "../limits";
import { groupOfScope, PUBLIC_SCOPE } from "./access";

const MiB = 1024 * 1024;

/** What skills may be in all. `bytes`: all packages as they are stored. `databaseBytes`: the rows of versions; a database holds 10 GB. */
const SKILLS = { skills: 20_000, versions: 50_000, bytes: 10_240 * MiB, databaseBytes: 512 * MiB } as const;

/** Of one user at a time. */
export const QUOTAS = { ...SKILLS, ghosts: 2_000, keys: 200 } as const;

/** Of one group at a time, for all members together. */
export const GROUP_QUOTAS = { ...SKILLS, ghosts: 2_000 } as const;

/** Whose quota it is that a refusal speaks of. */
export type QuotaHolder = "user" | "group";
export type Quota = keyof typeof QUOTAS;

/** Who has to have room for what is made in a scope; `null` for what is everybody's, which only admins make. */
export function holderOf(scope: string): QuotaHolder | null {
  if (scope === PUBLIC_SCOPE) return null;
  return groupOfScope(scope) === null ? "user" : "group";
}

/** Of one user in a day (UTC). */
export const DAILY = { uploads: 50_000, conversations: 50_000, scripts: 50_000, keys: 500 } as const;
export type Counted = keyof typeof DAILY;

const DAY_MS = 24 * 60 * 60_000;

/** When the day of this moment began, in milliseconds since the epoch. */
export function dayOf(now: number): number {
  return now - (now % DAY_MS);
}

/** The refusal: which quota it is, and how much of it is used. */
export function quotaExceeded(quota: Quota, used: number, holder: QuotaHolder = "user"): GatewayError {
  const limit = quota === "keys" || holder === "user" ? QUOTAS[quota] : GROUP_QUOTAS[quota];
  const whose = holder === "user" ? "A user's own" : "A group's";
  const message = {
    bytes: `${whose} skills may take ${limit / MiB} MiB of packages with all their versions. Delete some first.`,
    databaseBytes: `${whose} skills may take ${limit / MiB} MiB of the database with all their versions. Delete some first.`,
    versions: `${whose} skills may have ${limit} versions together. Delete some skills first.`,
    skills: `A ${holder} may have ${limit} skills. Delete some first.`,
    ghosts: `A ${holder} may have ${limit} ghosts. Delete some first.`,
    keys: `A ${holder} may have ${limit} keys. Delete some first.`,
  }[quota];
  return new GatewayError("conflict", "QUOTA_EXCEEDED", message, { quota, limit, used });
}

/** Everything that a conversation stores; most of it is its log. */
export function conversationFull(used: number): GatewayError {
  const limit = CONVERSATION_LIMITS.storedBytes;
  const message = "A conversation may store 1 GiB, and this one does. Begin another one, or delete it.";
  return new GatewayError("conflict", "QUOTA_EXCEEDED", message, { limit, used });
}

export function tooOften(what: Counted, now: number): GatewayError {
  const limit = DAILY[what];
  const retry_after_s = Math.ceil((dayOf(now) + DAY_MS - now) / 1_000);
  const message = `A user may make ${limit} ${what} in a day. Go on tomorrow (UTC).`;
  return new GatewayError("rate_limited", "DAILY_LIMIT", message, { limit, retry_after_s });
}
