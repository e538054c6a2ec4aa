// How much one user may have, and how often one may do what makes something. Generous: they are for accidents and abuse.

import { GatewayError } from "./errors";

/** Of one user at a time. */
export const QUOTAS = { skills: 20_000, ghosts: 2_000, keys: 200 } as const;
export type Owned = keyof typeof QUOTAS;

/** Of one user in a day (UTC). */
export const DAILY = { uploads: 10_000, conversations: 50_000, scripts: 50_000, keys: 500 } as const;
export type Counted = keyof typeof DAILY;

const DAY_MS = 24 * 60 * 60_000;

/** When the day of this moment began, in milliseconds since the epoch. */
export function dayOf(now: number): number {
  return now - (now % DAY_MS);
}

export function quotaExceeded(what: Owned, used: number): GatewayError {
  const limit = QUOTAS[what];
  return new GatewayError("conflict", "QUOTA_EXCEEDED", `A user may have ${limit} ${what}. Delete some first.`, {
    limit,
    used,
  });
}

export function tooOften(what: Counted): GatewayError {
  const limit = DAILY[what];
  const message = `A user may make ${limit} ${what} in a day. Go on tomorrow (UTC).`;
  return new GatewayError("rate_limited", "DAILY_LIMIT", message, { limit });
}
