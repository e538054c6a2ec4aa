// How fast one may go: by the platform's counters, which cost no round trip and are exact enough against abuse. Where a
// deployment has no such binding, and locally, there is no limit.

import type { Context as HonoContext, MiddlewareHandler } from "hono";
import { RATES } from "../domain/limits";
import { settingsFrom } from "../domain/settings";
import type { HttpEnv } from "./env";
import { problem } from "./errors";

type Rate = (typeof RATES)[keyof typeof RATES];

/** Refuses a principal that is too fast: a key in the name of one user. Mounted behind `authenticate`. */
export const principalRate: MiddlewareHandler<HttpEnv> = async (c, next) => {
  const { keyId, userId } = c.get("context").caller.principal;
  if (await isOver(c, c.env.PRINCIPAL_RATE, `${keyId} ${userId}`)) return tooFast(c, "principal", RATES.principal);
  await next();
};

/** Counts an answer of 401 against the address it goes to. Beyond the limit it is 429, whatever the next guess is. */
export async function guessRate(c: HonoContext<HttpEnv>): Promise<Response | null> {
  const address = c.req.header("cf-connecting-ip");
  if (c.res.status !== 401 || address === undefined) return null;
  return (await isOver(c, c.env.GUESS_RATE, address)) ? tooFast(c, "guesses", RATES.guesses) : null;
}

async function isOver(c: HonoContext<HttpEnv>, counter: RateLimit | undefined, key: string): Promise<boolean> {
  if (counter === undefined || !settingsFrom(c.env).RATE_LIMITS) return false;
  return !(await counter.limit({ key })).success;
}

/** As the IETF's draft of RateLimit headers has it; when the window began is not known, so all of it may be left. */
function tooFast(c: HonoContext<HttpEnv>, name: string, { requests, seconds }: Rate): Response {
  return problem(
    c,
    429,
    "RATE_LIMITED",
    `At most ${requests} in ${seconds} s. Wait, and go slower.`,
    { limit: requests },
    {
      "retry-after": String(seconds),
      "ratelimit-policy": `"${name}";q=${requests};w=${seconds}`,
      ratelimit: `"${name}";r=0;t=${seconds}`,
    },
  );
}
