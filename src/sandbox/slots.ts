// Limits the concurrent isolates of one conversation or request. The platform fails with an unspecific error above its limit. Here a call
// waits, and receives a clear error after too long.

import { PARALLEL } from "../domain/code/script-limits";
import { DURATIONS } from "../domain/durations";

/** The error for a call that got no slot in time. */
export const NO_SLOT = "too many scripts at once; try again in a moment";

/** Releases a slot. A second call has no effect. */
type Release = () => void;

/** Calls in one isolate share its slot. */
export class Slots {
  readonly #users = new Map<string, number>();
  readonly #queue: { id: string; grant(release: Release): void }[] = [];

  /** Separate slots for parts of runs, so that they never wait for the run that waits for them. */
  #inner: Slots | undefined;

  constructor(
    readonly parallel: number,
    private readonly within?: number,
  ) {}

  get inner(): Slots {
    const ofWhole = this.parallel < PARALLEL.conversation ? PARALLEL.requestParts : PARALLEL.conversationParts;
    this.#inner ??= new Slots(this.within ?? ofWhole, PARALLEL.innermost);
    return this.#inner;
  }

  /** Waits for a slot. Returns `null` after the timeout, or if the caller aborts. */
  async take(id: string, signal?: AbortSignal): Promise<Release | null> {
    if (signal?.aborted) return null;
    if (this.#fits(id)) return this.#hold(id);
    if (this.#queue.length >= PARALLEL.waiting) return null;
    const turn = Promise.withResolvers<Release | null>();
    const waiting = { id, grant: turn.resolve };
    this.#queue.push(waiting);
    const leave = () => {
      const at = this.#queue.indexOf(waiting);
      if (at >= 0) this.#queue.splice(at, 1);
      turn.resolve(null);
    };
    const timeout = setTimeout(leave, DURATIONS.queue);
    signal?.addEventListener("abort", leave, { once: true });
    const release = await turn.promise;
    clearTimeout(timeout);
    signal?.removeEventListener("abort", leave);
    return release;
  }

  #fits(id: string): boolean {
    return this.#users.has(id) || this.#users.size < this.parallel;
  }

  #hold(id: string): Release {
    this.#users.set(id, (this.#users.get(id) ?? 0) + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const left = (this.#users.get(id) ?? 1) - 1;
      if (left > 0) this.#users.set(id, left);
      else this.#users.delete(id);
      this.#next();
    };
  }

  /** Assigns free slots, the longest waiting first. */
  #next(): void {
    for (;;) {
      const at = this.#queue.findIndex(({ id }) => this.#fits(id));
      const [first] = at < 0 ? [] : this.#queue.splice(at, 1);
      if (first === undefined) return;
      first.grant(this.#hold(first.id));
    }
  }
}
