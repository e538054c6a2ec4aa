// A circuit breaker as a value: after several consecutive failures, calls are blocked for a while, then one trial is allowed.

import * as z from "zod";
import { BREAKER } from "../limits";

export const breakerSchema = z.lazy(() =>
  z.object({
    /** In a row. */
    failures: z.number(),
    /** Time when the circuit opened or the last trial began, in milliseconds since the epoch; `null`: closed. */
    since: z.number().nullable(),
    /** Error of the last failure. */
    last: z.string().nullable(),
  }),
);
export type Breaker = z.infer<typeof breakerSchema>;

export const CLOSED: Breaker = { failures: 0, since: null, last: null };

/** `closed`: calls are allowed. `trial`: one call is allowed. `open`: no call is allowed. */
export type BreakerState = "closed" | "trial" | "open";

export function breakerState(breaker: Breaker, now: number): BreakerState {
  if (breaker.since === null) return "closed";
  return now - breaker.since >= BREAKER.coolDown ? "trial" : "open";
}

/** Starts a trial. Other calls wait until it ends, or for the same time again. */
export function trying(breaker: Breaker, now: number): Breaker {
  return breaker.since === null ? breaker : { ...breaker, since: now };
}

export function afterFailure(breaker: Breaker, now: number, reason: string): Breaker {
  const failures = breaker.failures + 1;
  return { failures, since: failures >= BREAKER.failures ? now : null, last: reason };
}

/** Returns why calls are blocked. */
export function openReason(breaker: Breaker, now: number): string {
  const left = Math.max(1, Math.ceil((BREAKER.coolDown - (now - (breaker.since ?? now))) / 1_000));
  return `the server failed ${breaker.failures} times in a row and is not retried for another ${left}s; the last error: ${breaker.last}`;
}
