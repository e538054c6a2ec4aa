// The time that one operation has, and the signals that may call it off.

import { UpstreamFault } from "./fault";

/** Ends at its time or with the outer signal, whichever comes first. `end` it when the operation is over: a timer is in it. */
export class Deadline {
  readonly #abort = new AbortController();
  readonly #clear: () => void;
  readonly #outer: AbortSignal | undefined;
  readonly #cancel = () => this.#stop(new UpstreamFault("cancelled", "it was cancelled"));
  /** Rejects with the reason. */
  readonly over: Promise<never>;
  readonly #reject: (fault: UpstreamFault) => void;

  /** @param late the reason when time runs out */
  constructor(ms: number, outer: AbortSignal | undefined, late: UpstreamFault) {
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => undefined);
    this.over = promise;
    this.#reject = reject;
    this.#outer = outer;
    const timer = setTimeout(() => this.#stop(late), ms);
    this.#clear = () => clearTimeout(timer);
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

  end(): void {
    this.#clear();
    this.#outer?.removeEventListener("abort", this.#cancel);
  }

  #stop(fault: UpstreamFault): void {
    this.end();
    this.#reject(fault);
    this.#abort.abort(fault);
  }
}
