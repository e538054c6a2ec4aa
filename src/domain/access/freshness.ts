// Decides whether a cached identity can be used.

import { DURATIONS } from "../durations";

/** When and how a value was read. */
export interface Timestamped {
  /** Bookmark of the read. */
  asOf: string;
  /** Start of the read, in milliseconds since the epoch. */
  began: number;
  /** Whether the primary returned it. A replica's answer may already be old. */
  byPrimary: boolean;
}

/** Events since the read; `null`: none. */
export interface Since {
  /** Start of the last renewal. */
  renewing: number | null;
  /** Time at which it failed. */
  failed: number | null;
}

/** Requirements for the value. */
export interface Wanted {
  now: number;
  /** Bookmark of this isolate's last write. Older values are invalid. */
  mark: string;
  /** The caller's bookmark. Older values are insufficient. */
  least: string;
  /** Maximum age in milliseconds. */
  longest: number;
}

/**
 * `use`: valid. `renew`: valid, and should be renewed in the background. `stale`: D1 did not answer, and the value is valid for requests
 * that are served during an outage. `ask`: D1 must be read first.
 */
export type Freshness = "use" | "renew" | "stale" | "ask";

/** From best to worst. */
const ORDER: readonly Freshness[] = ["use", "renew", "stale", "ask"];

export function freshnessOf(dated: Timestamped, since: Since, { now, mark, least, longest }: Wanted): Freshness {
  const age = now - dated.began;
  if (dated.asOf < mark || age < 0 || age > DURATIONS.principalCache) return "ask";
  if (since.failed !== null) return now - since.failed < DURATIONS.storage ? "stale" : "ask";
  if (dated.asOf < least || age > longest) return "ask";
  // A replica's answer is only valid while the primary is asked in the background. Otherwise its lag would add to the maximum age.
  if (!dated.byPrimary && age > DURATIONS.storage) return "ask";
  const isDue = !dated.byPrimary || age * 2 >= longest;
  return isDue && !isUnderWay(since.renewing, now) ? "renew" : "use";
}

/** Returns the freshness of two values used together. */
export function worseOf(one: Freshness, other: Freshness): Freshness {
  return ORDER.indexOf(one) > ORDER.indexOf(other) ? one : other;
}

/** Whether the value is valid during an outage of D1. */
export function countsDuringOutage(dated: Timestamped, { now, mark }: Pick<Wanted, "now" | "mark">): boolean {
  const age = now - dated.began;
  return dated.asOf >= mark && age >= 0 && age <= DURATIONS.principalCache;
}

/** Whether `next` can replace the cached value: never with an earlier bookmark. */
export function supersedes(next: Timestamped, known: Timestamped): boolean {
  if (next.asOf !== known.asOf) return next.asOf > known.asOf;
  return next.began === known.began ? next.byPrimary || !known.byPrimary : next.began > known.began;
}

/** A timestamp instead of a promise, because a promise of a cancelled request never settles. */
function isUnderWay(renewing: number | null, now: number): boolean {
  return renewing !== null && now >= renewing && now - renewing < DURATIONS.storage;
}
