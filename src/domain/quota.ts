// How much one user may have, and how often one may do what makes something. Generous: they are for accidents and abuse.

import { GatewayError } from "./errors";
import { CONVERSATION_LIMITS } from "./limits";

/** Of one user at a time; of ghosts, a group and what is public have as many. */
export const QUOTAS = { skills: 20_000, ghosts: 2_000, keys: 200, bytes: 10 * 1024 * 1024 * 1024 } as const;
export type Owned = Exclude<keyof typeof QUOTAS, "bytes">;

/** Of one user in a day (UTC). */
export const DAILY = { uploads: 50_000, conversations: 50_000, scripts: 50_000, keys: 500 } as const;
export type Counted = keyof typeof DAILY;

const DAY_MS = 24 * 60 * 60_000;

/** When the day of this moment began, in milliseconds since the epoch. */
export function dayOf(now: number): number {
  return now - (now % DAY_MS);
}

export function quotaExceeded(what: Owned, used: number): GatewayError {
  const limit = QUOTAS[what];
  return new GatewayError(
    "conflict",
    "QUOTA_EXCEEDED",
    `${what === "ghosts" ? "A user or group" : "A user"} may have ${limit} ${what}. Delete some first.`,
    {
      limit,
      used,
    },
  );
}

/** All packages of a user's own skills, every version, as they are stored. */
export function tooManyBytes(used: number): GatewayError {
  const limit = QUOTAS.bytes;
  const message = "A user's own skills may take 10 GiB with all their versions. Delete some first.";
  return new GatewayError("conflict", "QUOTA_EXCEEDED", message, { limit, used });
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
