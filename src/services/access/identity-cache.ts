// Caches callers in this isolate: keys by id, and users by id and claimed groups. One cache per database.

import type { Membership } from "../../domain/access/access";
import { latestOf } from "../../domain/access/bookmark";
import { FairMemory } from "../../domain/access/fair-memory";
import { type Since, supersedes, type Timestamped } from "../../domain/access/freshness";
import { ACCESS_LIMITS } from "../../domain/limits";
import { Recent } from "../../domain/recent";
import type { Identity, KeyCredential } from "../../storage/d1/identity";
import type { Counters } from "../../storage/d1/keys";

/** What one read returned about a user. */
export interface CachedUser {
  groups: readonly Membership[];
  counters: Counters;
}

/** A cached value with its time. Frozen, because many requests share it. */
export interface Remembered<V> extends Since {
  readonly value: V;
  readonly dated: Timestamped;
  /** Time at which a replica was last asked for a newer value. */
  looked: number;
}

/** The cached values for one request. */
export interface CachedIdentity {
  /** Absent if the request has no key of the gateway. */
  key: Remembered<KeyCredential> | null;
  user: Remembered<CachedUser>;
}

/** Bytes per entry in addition to its text. */
const OVERHEAD = 300;

export class IdentityMemory {
  readonly #keys = new FairMemory<Remembered<KeyCredential>>(ACCESS_LIMITS.rememberedKeyBytes);
  readonly #users = new FairMemory<Remembered<CachedUser>>(ACCESS_LIMITS.rememberedUserBytes);
  readonly #noted = new Recent<string, number>(ACCESS_LIMITS.notedKeys);
  #mark = "";
  #told = "";

  /** Bookmark of this isolate's last write, or of the time a key was found to be revoked. Earlier reads are ignored. */
  get mark(): string {
    return this.#mark;
  }

  /** Latest bookmark that D1 returned to this isolate. A caller's bookmark can be forged; one up to this bookmark is known to exist. */
  get told(): string {
    return this.#told;
  }

  get bytes(): number {
    return this.#keys.bytes + this.#users.bytes;
  }

  get size(): number {
    return this.#keys.size + this.#users.size;
  }

  hear(bookmark: string | null): void {
    this.#told = latestOf(this.#told, bookmark);
  }

  /** Records that this isolate wrote something identities depend on. `null`: it may have, because D1 did not return a bookmark. */
  wrote(bookmark: string | null): void {
    this.hear(bookmark);
    this.#mark = latestOf(this.#mark, bookmark);
    if (bookmark === null) this.forget();
  }

  key(id: string): Remembered<KeyCredential> | null {
    return this.#keys.get(id) ?? null;
  }

  /** Returns both parts, or `null` if one is missing. */
  find({ keyId, userId, claimed }: Identity): CachedIdentity | null {
    const key = keyId === "" ? null : this.key(keyId);
    const whose = userId ?? key?.value.userId;
    if (whose === undefined || (keyId !== "" && key === null)) return null;
    const user = this.#users.get(nameOf(whose, key?.value.claimed ?? claimed));
    return user === undefined ? null : { key, user };
  }

  /** Caches a valid key and its user. Never replaces a newer value. */
  keep(asked: Identity, found: { key: KeyCredential | null } & CachedUser, dated: Timestamped): void {
    const { key, groups, counters } = found;
    const whose = asked.userId ?? key?.userId;
    if (whose === undefined) return;
    if (key !== null) put(this.#keys, key.id, key.id, frozenKey(key), dated);
    put(
      this.#users,
      nameOf(whose, key?.claimed ?? asked.claimed),
      asked.keyId,
      frozenUser({ groups, counters }),
      dated,
    );
  }

  /**
   * Removes a key that the primary reported as gone at this bookmark, and ignores older reads from now on: a lagging replica would bring
   * the key back with every request. Does nothing for a key that was never valid here.
   */
  drop(keyId: string, asOf: string | null): void {
    if (this.#keys.get(keyId) === undefined) return;
    this.#keys.delete(keyId);
    this.#mark = latestOf(this.#mark, asOf);
  }

  /** Time at which a use of the key was last recorded by this isolate. */
  notedAt(keyId: string): number | null {
    return this.#noted.get(keyId) ?? null;
  }

  note(keyId: string, now: number): void {
    this.#noted.set(keyId, now);
  }

  /** Empties the cache. Recorded writes stay recorded. */
  forget(): void {
    this.#keys.clear();
    this.#users.clear();
  }
}

function put<V>(memory: FairMemory<Remembered<V>>, name: string, owner: string, value: V, dated: Timestamped): void {
  const known = memory.get(name);
  if (known !== undefined && !supersedes(dated, known.dated)) return;
  const entry = { value, dated: Object.freeze({ ...dated }), looked: dated.began, renewing: null, failed: null };
  memory.set(name, owner, entry, OVERHEAD + 2 * (name.length + JSON.stringify(value).length));
}

function frozenKey(key: KeyCredential): KeyCredential {
  return Object.freeze({ ...key, scopes: Object.freeze([...key.scopes]) });
}

function frozenUser({ groups, counters }: CachedUser): CachedUser {
  const own = groups.map((membership) => Object.freeze({ ...membership }));
  return Object.freeze({ groups: Object.freeze(own), counters: Object.freeze({ ...counters }) });
}

function nameOf(userId: string, claimed: readonly Membership[]): string {
  return claimed.length === 0 ? userId : `${userId} ${JSON.stringify(claimed)}`;
}

/** All caches of this isolate in one variable, so that a test can simulate another isolate. */
let memories = new WeakMap<object, IdentityMemory>();

/** Returns this isolate's cache for a database. */
export function memoryOf(database: object): IdentityMemory {
  const known = memories.get(database);
  if (known !== undefined) return known;
  const fresh = new IdentityMemory();
  memories.set(database, fresh);
  return fresh;
}

/** Replaces this isolate's caches with the given ones, or with empty ones, and returns the previous ones. For tests. */
export function exchangeMemories(
  others: WeakMap<object, IdentityMemory> = new WeakMap(),
): WeakMap<object, IdentityMemory> {
  const before = memories;
  memories = others;
  return before;
}
