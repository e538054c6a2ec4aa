// What this isolate remembers of those who call: keys by id, and users by id and claimed groups. One memory a database.

import type { Membership } from "../../domain/access/access";
import { latestOf } from "../../domain/access/bookmark";
import { FairMemory } from "../../domain/access/fair-memory";
import { type Since, supersedes, type Timestamped } from "../../domain/access/freshness";
import { ACCESS_LIMITS } from "../../domain/limits";
import { Recent } from "../../domain/recent";
import type { Identity, KeyCredential } from "../../storage/d1/identity";
import type { Counters } from "../../storage/d1/keys";

/** What one read told of a user. */
export interface CachedUser {
  groups: readonly Membership[];
  counters: Counters;
}

/** Something remembered, with its date. It is frozen: many requests share it. */
export interface Remembered<V> extends Since {
  readonly value: V;
  readonly dated: Timestamped;
  /** When a replica was last asked whether there is something newer. */
  looked: number;
}

/** What is remembered for one request. */
export interface CachedIdentity {
  /** Absent where the request brings no key of ours. */
  key: Remembered<KeyCredential> | null;
  user: Remembered<CachedUser>;
}

/** Bytes that an entry takes beside its text. */
const OVERHEAD = 300;

export class IdentityMemory {
  readonly #keys = new FairMemory<Remembered<KeyCredential>>(ACCESS_LIMITS.rememberedKeyBytes);
  readonly #users = new FairMemory<Remembered<CachedUser>>(ACCESS_LIMITS.rememberedUserBytes);
  readonly #noted = new Recent<string, number>(ACCESS_LIMITS.notedKeys);
  #mark = "";
  #told = "";

  /** The bookmark of this isolate's last own write, or of when a key was found to be gone: what was read before does not count. */
  get mark(): string {
    return this.#mark;
  }

  /** The latest bookmark that D1 has told this isolate. A caller's may be made up; one that is not later than this was reached. */
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

  /** This isolate has written what identities depend on; `null`: it may have, and D1 did not tell. */
  wrote(bookmark: string | null): void {
    this.hear(bookmark);
    this.#mark = latestOf(this.#mark, bookmark);
    if (bookmark === null) this.forget();
  }

  key(id: string): Remembered<KeyCredential> | null {
    return this.#keys.get(id) ?? null;
  }

  /** Both parts, or `null` where one is missing. */
  recall({ keyId, userId, claimed }: Identity): CachedIdentity | null {
    const key = keyId === "" ? null : this.key(keyId);
    const whose = userId ?? key?.value.userId;
    if (whose === undefined || (keyId !== "" && key === null)) return null;
    const user = this.#users.get(nameOf(whose, key?.value.claimed ?? claimed));
    return user === undefined ? null : { key, user };
  }

  /** Remembers what a read told of a good key and its user. Nothing takes the place of what has a later date. */
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
   * The primary has said, as of then, that there is no such key any more. From now on nothing older counts: a replica that lags would
   * bring the key back with every request. Of a key that was never good here nothing is kept and nothing changes.
   */
  drop(keyId: string, asOf: string | null): void {
    if (this.#keys.get(keyId) === undefined) return;
    this.#keys.delete(keyId);
    this.#mark = latestOf(this.#mark, asOf);
  }

  /** When a use of the key was last noted here. */
  notedAt(keyId: string): number | null {
    return this.#noted.get(keyId) ?? null;
  }

  note(keyId: string, now: number): void {
    this.#noted.set(keyId, now);
  }

  /** Empties it; what this isolate wrote stays written. */
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

/** Everything that this isolate remembers, in one place, so that a test can put another isolate's there. */
let memories = new WeakMap<object, IdentityMemory>();

/** What this isolate remembers of those in a database. */
export function memoryOf(database: object): IdentityMemory {
  const known = memories.get(database);
  if (known !== undefined) return known;
  const fresh = new IdentityMemory();
  memories.set(database, fresh);
  return fresh;
}

/** Puts another isolate's memories in place of these, which it returns; those of a new isolate where none are given. */
export function exchangeMemories(
  others: WeakMap<object, IdentityMemory> = new WeakMap(),
): WeakMap<object, IdentityMemory> {
  const before = memories;
  memories = others;
  return before;
}
