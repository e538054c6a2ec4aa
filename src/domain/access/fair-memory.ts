// A size-limited cache shared by many owners: the oldest entries are removed first, and no owner uses more than half of it.

interface CacheEntry<V> {
  value: V;
  owner: string;
  bytes: number;
}

/** Values by name, each with an owner. */
export class FairMemory<V> {
  readonly #most: number;
  readonly #kept = new Map<string, CacheEntry<V>>();
  /** Names per owner, oldest first, and their bytes. */
  readonly #owners = new Map<string, { names: Set<string>; bytes: number }>();
  #bytes = 0;

  /** @param most maximum bytes of all values */
  constructor(most: number) {
    this.#most = most;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get size(): number {
    return this.#kept.size;
  }

  get(name: string): V | undefined {
    return this.#kept.get(name)?.value;
  }

  /**
   * Adds or replaces a value. A replaced value keeps its first owner, so nobody can evict another owner's value. Values above an owner's
   * limit are not stored.
   */
  set(name: string, owner: string, value: V, bytes: number): void {
    const holder = this.#kept.get(name)?.owner ?? owner;
    this.delete(name);
    const share = Math.floor(this.#most / 2);
    if (bytes > share) return;
    while ((this.#owners.get(holder)?.bytes ?? 0) + bytes > share) this.#dropFirst(this.#owners.get(holder)?.names);
    while (this.#bytes + bytes > this.#most) this.#dropFirst(this.#kept.keys());
    this.#kept.set(name, { value, owner: holder, bytes });
    const own = this.#owners.get(holder) ?? { names: new Set(), bytes: 0 };
    own.names.add(name);
    own.bytes += bytes;
    this.#owners.set(holder, own);
    this.#bytes += bytes;
  }

  delete(name: string): void {
    const entry = this.#kept.get(name);
    if (entry === undefined) return;
    this.#kept.delete(name);
    this.#bytes -= entry.bytes;
    const own = this.#owners.get(entry.owner);
    if (own === undefined) return;
    own.names.delete(name);
    own.bytes -= entry.bytes;
    if (own.names.size === 0) this.#owners.delete(entry.owner);
  }

  clear(): void {
    this.#kept.clear();
    this.#owners.clear();
    this.#bytes = 0;
  }

  #dropFirst(names: Iterable<string> = []): void {
    const [first] = names;
    if (first !== undefined) this.delete(first);
  }
}
