// A cache of limited size that removes the oldest entries first.

/** The values that were added last, by key, at most `size` of them. */
export class Recent<K, V> {
  readonly #size: number;
  readonly #values = new Map<K, V>();

  constructor(size: number) {
    this.#size = size;
  }

  get(key: K): V | undefined {
    return this.#values.get(key);
  }

  /** Adds a value, or replaces that of a key, which then counts as added last. */
  set(key: K, value: V): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    const [oldest] = this.#values.keys();
    if (this.#values.size > this.#size && oldest !== undefined) this.#values.delete(oldest);
  }

  delete(key: K): void {
    this.#values.delete(key);
  }
}
