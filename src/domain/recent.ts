// A cache of limited size that removes the oldest entries first.

/** A cache of the `size` values that were added last, by key. */
export class Recent<K, V> {
  readonly #size: number;
  readonly #values = new Map<K, V>();

  constructor(size: number) {
    this.#size = size;
  }

  get(key: K): V | undefined {
    return this.#values.get(key);
  }

  /** Adds or replaces a value, which then counts as added last. */
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
