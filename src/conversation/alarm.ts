// The object's alarm, set to the time of what is due first. An alarm that is too early finds nothing to do; none is too late.

export class Alarm {
  readonly #storage: DurableObjectStorage;
  readonly #next: () => number | null;
  /** As this instance set it; `null` when it has not. */
  #at: number | null = null;

  constructor(storage: DurableObjectStorage, next: () => number | null) {
    this.#storage = storage;
    this.#next = next;
  }

  /** Sets it to what is due first now. The write belongs to the change that called for it: nothing is awaited. */
  rearm(): void {
    const next = this.#next();
    if (next === null || next === this.#at) return;
    this.#at = next;
    void this.#storage.setAlarm(next);
  }

  /** Sets it unless one is set, by this instance or by one before. */
  async ensure(): Promise<void> {
    if ((await this.#storage.getAlarm()) === null) this.rearm();
  }

  /** It has gone off, so none is set. */
  fired(): void {
    this.#at = null;
  }

  /** Sets it to a time, also when something is due before. */
  async postpone(until: number): Promise<void> {
    this.#at = until;
    await this.#storage.setAlarm(until);
  }

  async clear(): Promise<void> {
    this.#at = null;
    await this.#storage.deleteAlarm();
  }
}
