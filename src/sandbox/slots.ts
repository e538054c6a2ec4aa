// How many isolates of one conversation, or of one request, are in flight. The platform refuses one too many with an error that
// nobody knows; here a call waits, and hears why where it waits for too long.

import { PARALLEL } from "../domain/code/script-limits";
import { DURATIONS } from "../domain/durations";

/** What a caller is told whose turn did not come. */
export const NO_SLOT = "too many scripts at once; try again in a moment";

/** Gives a slot back; a second time it does nothing. */
type Release = () => void;

/** Calls in one isolate share its slot. */
export class Slots {
  readonly #users = new Map<string, number>();
  readonly #queue: { id: string; grant(release: Release): void }[] = [];

  /** Of the parts of runs, which so never wait for what waits for them. */
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

  /** Waits for a slot; `null` when none came in time, or nobody waits for it any more. */
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

  /** Lets in who fits now, the longest waiting first. */
  #next(): void {
    for (;;) {
      const at = this.#queue.findIndex(({ id }) => this.#fits(id));
      const [first] = at < 0 ? [] : this.#queue.splice(at, 1);
      if (first === undefined) return;
      first.grant(this.#hold(first.id));
    }
  }
}
