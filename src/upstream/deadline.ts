// Limits the time of an operation, and combines it with abort signals.

import { UpstreamFault } from "./fault";

/**
 * Ends after its time or with the outer signal, whichever is first. `extend` restarts its time, but the total is limited to `most`. Call
 * `end` after the operation to clear the timer.
 */
export class Deadline {
  readonly #abort = new AbortController();
  readonly #ms: number;
  #latest: number;
  readonly #late: UpstreamFault;
  #timer: ReturnType<typeof setTimeout>;
  /** Time at which the timer fires. */
  #due: number;
  /** The number of operations that wait for a user, and the start of the wait. */
  #holds = 0;
  #heldAt = 0;
  #isOver = false;
  readonly #outer: AbortSignal | undefined;
  readonly #cancel = () => this.#stop(new UpstreamFault("cancelled", "it was cancelled"));
  /** Rejects with the reason. */
  readonly over: Promise<never>;
  readonly #reject: (fault: UpstreamFault) => void;

  /** @param late the reason for a timeout */
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

  /** Returns the value unless the deadline ends first. */
  within<T>(value: Promise<T>): Promise<T> {
    return Promise.race([value, this.over]);
  }

  /** Restarts the time after a sign of progress. */
  extend(): void {
    if (this.#isOver || this.#holds > 0) return;
    this.#ringIn(Math.min(this.#ms, this.#latest - Date.now()));
  }

  /** Pauses the deadline while a user is asked. */
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
 * Returns the deadline of a request to a server.
 *
 * @param what the part of the error message before "within …s"
 * @param most the limit for extensions in milliseconds, if longer than `ms`
 */
export function deadlineFor(ms: number, what: string, outer?: AbortSignal, most = ms): Deadline {
  const late = new UpstreamFault("timeout", `${what} within ${ms / 1_000}s`);
  return new Deadline(ms, outer, late, Math.max(ms, most));
}
