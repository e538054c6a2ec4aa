// A circuit breaker as a value: who failed several times in a row is left alone for a while, then tried once.

import * as z from "zod";
import { BREAKER } from "../limits";

export const breakerSchema = z.lazy(() =>
  z.object({
    /** In a row. */
    failures: z.number(),
    /** When the circuit opened, or when the last trial began, in milliseconds since the epoch; `null` while it is closed. */
    since: z.number().nullable(),
    /** Why the last one failed. */
    last: z.string().nullable(),
  }),
);
export type Breaker = z.infer<typeof breakerSchema>;

export const CLOSED: Breaker = { failures: 0, since: null, last: null };

/** `closed`: go on; `trial`: one may try; `open`: nobody may. */
export type BreakerState = "closed" | "trial" | "open";

export function breakerState(breaker: Breaker, now: number): BreakerState {
  if (breaker.since === null) return "closed";
  return now - breaker.since >= BREAKER.coolDown ? "trial" : "open";
}

/** A trial begins: until it ends, or as long again, nobody else tries. */
export function trying(breaker: Breaker, now: number): Breaker {
  return breaker.since === null ? breaker : { ...breaker, since: now };
}

export function afterFailure(breaker: Breaker, now: number, reason: string): Breaker {
  const failures = breaker.failures + 1;
  return { failures, since: failures >= BREAKER.failures ? now : null, last: reason };
}

/** Why nobody may try, in words. */
export function openReason(breaker: Breaker, now: number): string {
  const left = Math.max(1, Math.ceil((BREAKER.coolDown - (now - (breaker.since ?? now))) / 1_000));
  return `the server failed ${breaker.failures} times in a row and is not retried for another ${left}s; the last error: ${breaker.last}`;
}
