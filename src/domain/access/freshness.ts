// What an isolate may do with what it remembers of an identity: who calls is a fact with a date.

import { DURATIONS } from "../durations";

/** When and how something was read. */
export interface Timestamped {
  /** The bookmark of the read. */
  asOf: string;
  /** When the read began, in milliseconds since the epoch. */
  began: number;
  /** Whether the primary said it. A replica's answer may be old when it is read. */
  byPrimary: boolean;
}

/** What has happened to it since; `null`: nothing of the kind. */
export interface Since {
  /** When somebody last began to ask the primary anew. */
  renewing: number | null;
  /** When that failed. */
  failed: number | null;
}

/** What is asked of it. */
export interface Wanted {
  now: number;
  /** The bookmark of this isolate's last own write: what is older does not count. */
  mark: string;
  /** A bookmark that the caller brings: what is older is not enough. */
  least: string;
  /** How old it may be, in milliseconds. */
  longest: number;
}

/**
 * `use`: it counts; `renew`: it counts, and somebody should ask the primary meanwhile; `stale`: D1 did not answer just now, and it
 * counts for what survives an outage; `ask`: D1 must be asked first.
 */
export type Freshness = "use" | "renew" | "stale" | "ask";

/** From good to bad. */
const ORDER: readonly Freshness[] = ["use", "renew", "stale", "ask"];

export function freshnessOf(dated: Timestamped, since: Since, { now, mark, least, longest }: Wanted): Freshness {
  const age = now - dated.began;
  if (dated.asOf < mark || age < 0 || age > DURATIONS.principalCache) return "ask";
  if (since.failed !== null) return now - since.failed < DURATIONS.storage ? "stale" : "ask";
  if (dated.asOf < least || age > longest) return "ask";
  // A replica's answer counts while the primary is asked behind it, and no longer: else lag would add up to the bound.
  if (!dated.byPrimary && age > DURATIONS.storage) return "ask";
  const isDue = !dated.byPrimary || age * 2 >= longest;
  return isDue && !isUnderWay(since.renewing, now) ? "renew" : "use";
}

/** The freshness of two things that are used together. */
export function worseOf(one: Freshness, other: Freshness): Freshness {
  return ORDER.indexOf(one) > ORDER.indexOf(other) ? one : other;
}

/** Whether it still counts for what survives an outage, now that D1 does not answer. */
export function countsDuringOutage(dated: Timestamped, { now, mark }: Pick<Wanted, "now" | "mark">): boolean {
  const age = now - dated.began;
  return dated.asOf >= mark && age >= 0 && age <= DURATIONS.principalCache;
}

/** Whether `next` may stand in place of what is remembered: never something of an earlier date. */
export function supersedes(next: Timestamped, known: Timestamped): boolean {
  if (next.asOf !== known.asOf) return next.asOf > known.asOf;
  return next.began === known.began ? next.byPrimary || !known.byPrimary : next.began > known.began;
}

/** A time stamp and no promise: one of a request that was cancelled would never settle. */
function isUnderWay(renewing: number | null, now: number): boolean {
  return renewing !== null && now >= renewing && now - renewing < DURATIONS.storage;
}
