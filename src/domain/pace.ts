// How fast one conversation may be called: counted in its own object, where it costs nothing.

import { GatewayError } from "./errors";
import { PACE } from "./limits";

/** A window and what was counted in it. */
export interface Pace {
  /** Milliseconds since the epoch. */
  since: number;
  count: number;
}

/** Counts one more call. Throws `rate_limited` when the window is full. */
export function paced({ since, count }: Pace, now: number): Pace {
  if (now - since >= PACE.milliseconds || now < since) return { since: now, count: 1 };
  if (count < PACE.calls) return { since, count: count + 1 };
  const seconds = PACE.milliseconds / 1_000;
  const message = `A conversation takes ${PACE.calls} calls in ${seconds} s. Wait, and go slower.`;
  throw new GatewayError("rate_limited", "RATE_LIMITED", message, { limit: PACE.calls });
}
