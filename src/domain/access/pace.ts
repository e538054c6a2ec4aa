// How fast one conversation may be called: counted in its own object, where it costs nothing.

import { PACE } from "../limits";
import { rateLimited } from "./rate";

/** A window and what was counted in it. */
export interface Pace {
  /** Milliseconds since the epoch. */
  since: number;
  count: number;
}

/** Counts one more call. Throws `rate_limited` when the window is full. */
export function paced({ since, count }: Pace, now: number): Pace {
  const end = since + PACE.seconds * 1_000;
  if (now >= end || now < since) return { since: now, count: 1 };
  if (count < PACE.requests) return { since, count: count + 1 };
  throw rateLimited("conversation", PACE, Math.ceil((end - now) / 1_000));
}
