// The object's alarm, set to the earliest due time. An early alarm does nothing. No alarm is late.

import { DURATIONS } from "../domain/durations";

export class Alarm {
  readonly #storage: DurableObjectStorage;
  readonly #next: () => number | null;
  /** The time this instance has set; `null` if none. */
  #at: number | null = null;

  constructor(storage: DurableObjectStorage, next: () => number | null) {
    this.#storage = storage;
    this.#next = next;
  }

  /** Sets the alarm to the earliest due time. The write is part of the change that requires it, so nothing is awaited. */
  rearm(): void {
    const next = this.#next();
    if (next === null || next === this.#at) return;
    this.#at = next;
    void this.#storage.setAlarm(next);
  }

  /** Schedules a task. Setting an alarm costs a tenth of loading a skill, so an earlier alarm stays as it is. */
  advance(due: number): void {
    if (this.#at === null || this.#at > due) this.rearm();
  }

  /**
   * Sets the alarm unless one is set. The time is early enough for everything that the first turn and the first skill use have to send, so
   * they need not set it again.
   */
  async ensure(): Promise<void> {
    if ((await this.#storage.getAlarm()) !== null) return;
    const next = this.#next();
    if (next === null) return;
    this.#at = Math.min(next, Date.now() + DURATIONS.listTold);
    void this.#storage.setAlarm(this.#at);
  }

  /** Records that it fired. */
  fired(): void {
    this.#at = null;
  }

  /** Sets the alarm to a time, even if something is due earlier. */
  async postpone(until: number): Promise<void> {
    this.#at = until;
    await this.#storage.setAlarm(until);
  }

  async clear(): Promise<void> {
    this.#at = null;
    await this.#storage.deleteAlarm();
  }
}
