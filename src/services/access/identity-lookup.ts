// Looks up an identity in the isolate's cache, then a replica, then the primary. A positive answer may be old, a negative one never is.

import { latestOf } from "../../domain/access/bookmark";
import { countsDuringOutage, type Freshness, freshnessOf, type Wanted, worseOf } from "../../domain/access/freshness";
import type { IdentitySource } from "../../domain/access/key-scope";
import { DURATIONS } from "../../domain/durations";
import { GatewayError, isRefusal, refusalIn } from "../../domain/errors";
import type { Settings } from "../../domain/settings/settings";
import { type GuardedSession, storageDown } from "../../storage/d1/database";
import { type Identity, type KeyCredential, readIdentity } from "../../storage/d1/identity";
import type { CachedIdentity, CachedUser, IdentityMemory } from "./identity-cache";

/** A D1 session and its bookmark. */
export interface BookmarkedSession {
  session: GuardedSession;
  bookmark(): string | null;
}

/** Where identities are stored, from near to far. */
export interface IdentityStores {
  memory: IdentityMemory;
  settings: Settings;
  now(): number;
  /** Returns a replica that has reached this bookmark, or the primary; any replica for an empty bookmark. */
  replica(asOf: string): BookmarkedSession;
  primary(): BookmarkedSession;
  /** Returns the primary, for work that continues after the response. */
  renewed(): BookmarkedSession;
  /** Continues this work after the response. */
  later(work: Promise<void>): void;
}

/**
 * How old a positive answer may be. `certain`: only from the primary. `primary`: only from the primary, unless D1 does not answer.
 * `remembered`: as old as `IDENTITY_MEMORY_S`. `recent`: the same, but if it is older than one second, a replica is asked for a newer one.
 */
export type Trust = "certain" | "primary" | IdentitySource;

/** Result of a lookup. */
export interface Found extends CachedUser {
  key: KeyCredential | null;
  asOf: string | null;
  /** D1 does not answer, and this is its answer of the last minute. */
  stale: boolean;
  /** The primary returned it for this request. */
  certain: boolean;
}

interface Question<T> {
  asked: Identity;
  trust: Trust;
  /** The caller's bookmark. The answer must not be older. */
  least: string | null;
  /** Converts the result, or throws the refusal. */
  judge(found: Found): T;
}

/** Returns the first answer, from near to far, that is not a refusal. The primary's answer is final. */
export async function findIdentity<T>(places: IdentityStores, question: Question<T>): Promise<T> {
  const isRecalled = question.trust === "remembered" || question.trust === "recent";
  if (isRecalled && places.settings.IDENTITY_MEMORY_S > 0) {
    const near = await askNearby(places, question);
    if (near !== null) return near.value;
  }
  return askPrimary(places, question);
}

async function askNearby<T>(places: IdentityStores, question: Question<T>): Promise<{ value: T } | null> {
  const { memory } = places;
  const { asked, trust } = question;
  const least = question.least ?? "";
  const now = places.now();
  const known = memory.find(asked);
  const freshness = known === null ? "ask" : freshnessFor(places, known, least);
  const isGood = known !== null && (freshness === "use" || freshness === "renew");
  if (isGood && !(trust === "recent" && least === "" && isBehind(known, now))) {
    const value = yesOf(() => question.judge(foundIn(known, false)));
    if (value !== null && freshness === "renew") renew(places, asked, known);
    return value;
  }
  if (known !== null && freshness === "stale") return { value: inOutage(places, known, question, storageDown()) };
  // Only bookmarks that D1 returned are passed on: a caller's bookmark can be any text.
  const reached = least <= memory.told ? least : "";
  const replica = places.replica(latestOf(memory.mark, reached, known?.user.dated.asOf ?? null));
  let read: Awaited<ReturnType<typeof readIdentity>>;
  try {
    read = await readIdentity(replica.session, asked);
  } catch (error) {
    if (!isDown(error) || known === null) throw error;
    if (isGood) {
      known.user.looked = now;
      return yesOf(() => question.judge(foundIn(known, false)));
    }
    fail(known, now);
    return { value: inOutage(places, known, question, error) };
  }
  const asOf = replica.bookmark();
  memory.hear(asOf);
  if (asOf === null || asOf < least || asOf < memory.mark) return null;
  const value = yesOf(() => question.judge({ ...read, asOf, stale: false, certain: false }));
  if (value === null) return null;
  memory.keep(asked, read, { asOf, began: now, byPrimary: false });
  const cached = memory.find(asked);
  if (cached !== null) {
    cached.user.looked = now;
    renew(places, asked, cached);
  }
  return value;
}

async function askPrimary<T>(places: IdentityStores, question: Question<T>): Promise<T> {
  const { memory } = places;
  const { asked, least } = question;
  const began = places.now();
  const primary = places.primary();
  let read: Awaited<ReturnType<typeof readIdentity>>;
  try {
    read = await readIdentity(primary.session, asked);
  } catch (error) {
    const known = memory.find(asked);
    if (!isDown(error) || known === null) throw error;
    fail(known, began);
    if (question.trust === "certain") throw error;
    return inOutage(places, known, question, error);
  }
  const asOf = primary.bookmark();
  memory.hear(asOf);
  if (least !== null && (asOf ?? "") < least) throw notReached();
  if (asked.keyId !== "" && !isGoodAt(read.key, places.now())) memory.drop(asked.keyId, asOf);
  const value = question.judge({ ...read, asOf, stale: false, certain: true });
  if (asOf !== null) memory.keep(asked, read, { asOf, began, byPrimary: true });
  return value;
}

/** Reads from the primary again after the response. Concurrent requests do not repeat it. */
function renew(places: IdentityStores, asked: Identity, known: CachedIdentity): void {
  const began = places.now();
  const parts = known.key === null ? [known.user] : [known.user, known.key];
  for (const part of parts) part.renewing = began;
  places.later(askAgain(places, asked, known, began));
}

async function askAgain(places: IdentityStores, asked: Identity, known: CachedIdentity, began: number): Promise<void> {
  const { memory } = places;
  const primary = places.renewed();
  try {
    const read = await readIdentity(primary.session, asked);
    const asOf = primary.bookmark();
    memory.hear(asOf);
    if (asked.keyId !== "" && !isGoodAt(read.key, places.now())) memory.drop(asked.keyId, asOf);
    else if (asOf !== null) memory.keep(asked, read, { asOf, began, byPrimary: true });
  } catch (error) {
    // A storage failure is logged already.
    if (!isDown(error)) throw error;
    fail(known, places.now());
  }
}

/** Whether the result can be cached. A grant's token has a row even after the grant ended. */
function isGoodAt(key: KeyCredential | null, now: number): boolean {
  return key !== null && (key.expiresAt === null || key.expiresAt > now);
}

function fail({ key, user }: CachedIdentity, now: number): void {
  user.failed = now;
  if (key !== null) key.failed = now;
}

/** Answers from the cache while D1 does not answer. A refusal then reports that D1 does not answer. */
function inOutage<T>(places: IdentityStores, known: CachedIdentity, { judge, least }: Question<T>, error: unknown): T {
  const at = { now: places.now(), mark: places.memory.mark };
  const parts = known.key === null ? [known.user] : [known.user, known.key];
  const counts = parts.every(({ dated }) => countsDuringOutage(dated, at)) && known.user.dated.asOf >= (least ?? "");
  const value = counts ? yesOf(() => judge(foundIn(known, true))) : null;
  if (value === null) throw error;
  return value.value;
}

function foundIn({ key, user }: CachedIdentity, stale: boolean): Found {
  return { key: key?.value ?? null, ...user.value, asOf: user.dated.asOf, stale, certain: false };
}

function freshnessFor(
  { memory, settings, now }: IdentityStores,
  { key, user }: CachedIdentity,
  least: string,
): Freshness {
  const wanted: Wanted = { now: now(), mark: memory.mark, least, longest: settings.IDENTITY_MEMORY_S * 1_000 };
  const ofUser = freshnessOf(user.dated, user, wanted);
  return key === null ? ofUser : worseOf(ofUser, freshnessOf(key.dated, key, wanted));
}

/** Whether a newer value should be read, for callers that write elsewhere and send no bookmark. */
function isBehind({ user }: CachedIdentity, now: number): boolean {
  return now - Math.max(user.dated.began, user.looked) > DURATIONS.identityRecent;
}

/** Returns the value, or `null` for a refusal that the primary might not repeat. */
function yesOf<T>(judge: () => T): { value: T } | null {
  try {
    return { value: judge() };
  } catch (error) {
    if (isRefusal(error)) return null;
    throw error;
  }
}

function isDown(error: unknown): boolean {
  return refusalIn(error)?.code === "unavailable";
}

function notReached(): GatewayError {
  const message = "The database has not reached the `X-D1-Bookmark` of this request. Try again, or remove the header.";
  return new GatewayError("unavailable", "BOOKMARK_NOT_REACHED", message);
}
