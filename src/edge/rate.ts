// Rate limits with the platform's counters, which need no round trip and are exact enough against abuse. They report whether there is room
// but not how much, so responses name the limits, and only refusals contain the remaining amount: zero. Without such a binding there is no
// limit, and /health reports it.

import type { Context as HonoContext, MiddlewareHandler } from "hono";
import { countedAs } from "../domain/access/address";
import { type Rate, rateLimited, ratePolicy } from "../domain/access/rate";
import { RATES } from "../domain/limits";
import { settingsFrom } from "../domain/settings/settings";
import type { HttpEnv } from "./edge";

type Limit = keyof typeof RATES;

/**
 * Rejects an address that sends too many requests, before anything is read for it, or too many invalid keys. Each invalid credential is
 * counted. Above the limit the response is 429 instead of 401.
 */
export const addressRate: MiddlewareHandler<HttpEnv> = async (c, next) => {
  const address = c.req.header("cf-connecting-ip");
  if (address === undefined) return next();
  const counted = countedAs(address);
  await take(c, "address", c.env.ADDRESS_RATE, counted);
  await next();
  if (c.get("unauthenticated")) await take(c, "guesses", c.env.GUESS_RATE, counted);
};

/** Rejects a principal that sends too many requests. A principal is a key acting for one user. Mounted behind `authenticate`. */
export const principalRate: MiddlewareHandler<HttpEnv> = async (c, next) => {
  const { keyId, userId } = c.get("context").caller.principal;
  await take(c, "principal", c.env.PRINCIPAL_RATE, `${keyId} ${userId}`);
  await next();
};

/** Limits token refreshes per grant, because many users' hosts share an address. */
export function grantRate(c: HonoContext<HttpEnv>, grantId: string): Promise<void> {
  return take(c, "principal", c.env.PRINCIPAL_RATE, `grant ${grantId}`);
}

/** Adds a limit to the headers of the response. */
export function noteLimit(c: HonoContext<HttpEnv>, policy: string, rate: Rate): void {
  c.set("limits", [...new Set([...(c.get("limits") ?? []), ratePolicy(policy, rate)])]);
}

/** Names the limits that a response was counted under, besides one in a refusal. */
export function nameLimits(headers: Headers, limits: readonly string[]): void {
  const refused = headers.get("ratelimit-policy");
  for (const limit of limits) if (limit !== refused) headers.append("ratelimit-policy", limit);
}

/** Whether requests are limited: the platform's counters are bound, and the setting does not disable them. */
export function areRatesLimited(env: Env): boolean {
  return settingsFrom(env).RATE_LIMITS && env.ADDRESS_RATE !== undefined && env.PRINCIPAL_RATE !== undefined;
}

/** Counts one more. Throws `rate_limited` above the limit, and otherwise adds the limit to the response. */
async function take(c: HonoContext<HttpEnv>, limit: Limit, counter: RateLimit | undefined, key: string): Promise<void> {
  if (counter === undefined || !settingsFrom(c.env).RATE_LIMITS) return;
  if (!(await counter.limit({ key })).success) throw rateLimited(limit, RATES[limit]);
  if (limit !== "guesses") noteLimit(c, limit, RATES[limit]);
}
