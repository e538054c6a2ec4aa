// Limits the call rate of one conversation, counted in its Durable Object at no cost.

import { PACE } from "../limits";
import { rateLimited } from "./rate";

/** A window and its count. */
export interface Pace {
  /** Milliseconds since the epoch. */
  since: number;
  count: number;
}

/** Counts one more call. Throws `rate_limited` if the window is full. */
export function paced({ since, count }: Pace, now: number): Pace {
  const end = since + PACE.seconds * 1_000;
  if (now >= end || now < since) return { since: now, count: 1 };
  if (count < PACE.requests) return { since, count: count + 1 };
  throw rateLimited("conversation", PACE, Math.ceil((end - now) / 1_000));
}
