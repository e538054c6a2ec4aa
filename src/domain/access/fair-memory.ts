// A memory of so many bytes that many share: what was put in longest ago goes first, and nobody fills more than half of it.

interface Kept<V> {
  value: V;
  owner: string;
  bytes: number;
}

/** Values by name, each on behalf of an owner. */
export class FairMemory<V> {
  readonly #most: number;
  readonly #kept = new Map<string, Kept<V>>();
  /** The names of each owner, those put in longest ago first, and their bytes. */
  readonly #owners = new Map<string, { names: Set<string>; bytes: number }>();
  #bytes = 0;

  /** @param most bytes that all values may take together */
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
   * Puts a value in, or in place of the one of that name, which stays its first owner's: nobody takes another's over to have it
   * dropped. What alone is more than an owner may have is not kept.
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
    const kept = this.#kept.get(name);
    if (kept === undefined) return;
    this.#kept.delete(name);
    this.#bytes -= kept.bytes;
    const own = this.#owners.get(kept.owner);
    if (own === undefined) return;
    own.names.delete(name);
    own.bytes -= kept.bytes;
    if (own.names.size === 0) this.#owners.delete(kept.owner);
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
