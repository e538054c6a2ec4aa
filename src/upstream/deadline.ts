// The time that one operation has, and the signals that may call it off.

import { UpstreamFault } from "./fault";

/**
 * Ends at its time or with the outer signal, whichever comes first. A sign of life gives it its time again, but no more than `most` in
 * all. `end` it when the operation is over: a timer is in it.
 */
export class Deadline {
  readonly #abort = new AbortController();
  readonly #ms: number;
  #latest: number;
  readonly #late: UpstreamFault;
  #timer: ReturnType<typeof setTimeout>;
  /** When the timer would ring. */
  #due: number;
  /** How many wait for a person, and since when. */
  #holds = 0;
  #heldAt = 0;
  #isOver = false;
  readonly #outer: AbortSignal | undefined;
  readonly #cancel = () => this.#stop(new UpstreamFault("cancelled", "it was cancelled"));
  /** Rejects with the reason. */
  readonly over: Promise<never>;
  readonly #reject: (fault: UpstreamFault) => void;

  /** @param late the reason when time runs out */
  constructor(ms: number, outer: AbortSignal | undefined, late: UpstreamFault, most = ms) {
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => undefined);
    this.over = promise;
    this.#reject = reject;
    this.#outer = outer;
    this.#ms = ms;
    this.#latest = Date.now() + most;
    this.#late = late;
    this.#due = Date.now() + ms;
    this.#timer = setTimeout(() => this.#stop(late), ms);
    if (outer?.aborted) this.#cancel();
    else outer?.addEventListener("abort", this.#cancel, { once: true });
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** The value, unless time is over before. */
  within<T>(value: Promise<T>): Promise<T> {
    return Promise.race([value, this.over]);
  }

  /** There was a sign of life. */
  extend(): void {
    if (this.#isOver || this.#holds > 0) return;
    this.#ringIn(Math.min(this.#ms, this.#latest - Date.now()));
  }

  /** Stands still while a person is asked, who takes the time that people take. */
  async holding<T>(work: () => Promise<T>): Promise<T> {
    if (this.#holds++ === 0) {
      this.#heldAt = Date.now();
      clearTimeout(this.#timer);
    }
    try {
      return await work();
    } finally {
      if (--this.#holds === 0 && !this.#isOver) {
        const held = Date.now() - this.#heldAt;
        this.#latest += held;
        this.#ringIn(this.#due + held - Date.now());
      }
    }
  }

  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener("abort", this.#cancel);
  }

  #ringIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#due = Date.now() + ms;
    this.#timer = setTimeout(() => this.#stop(this.#late), Math.max(0, ms));
  }

  #stop(fault: UpstreamFault): void {
    this.end();
    this.#reject(fault);
    this.#abort.abort(fault);
  }
}

/**
 * The deadline of what is asked of a server.
 *
 * @param what what will not have happened when it is over, as a sentence without an end
 * @param most how long signs of life may draw it out, in milliseconds, where that is longer
 */
export function deadlineFor(ms: number, what: string, outer?: AbortSignal, most = ms): Deadline {
  const late = new UpstreamFault("timeout", `${what} within ${ms / 1_000}s`);
  return new Deadline(ms, outer, late, Math.max(ms, most));
}
