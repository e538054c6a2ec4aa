// One request with its patience: timeouts, and repeats with the same ids.

import { refusalOf, SkillGatewayError } from "./errors.js";

export interface Attempts {
  /** How often a request is sent again, at most. */
  retries: number;
  /** How long one attempt may take until its answer begins, in milliseconds. */
  timeoutMs: number;
  fetch: typeof fetch;
}

/** Whether it may be sent again when nobody knows whether it arrived. */
export type Repeatable = "safe" | "idempotent" | "never";

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 20_000;

/**
 * Sends a request until it is answered. 429 is always sent again: it was refused before anything happened. 502, 503, 504 and a lost
 * connection only where that does no harm.
 */
export async function send(
  make: () => { url: string; init: RequestInit },
  repeatable: Repeatable,
  attempts: Attempts,
  signal?: AbortSignal | null,
): Promise<Response> {
  for (let attempt = 0; ; attempt++) {
    const last = attempt >= attempts.retries;
    const outcome = await once(make, attempts, signal);
    if (outcome instanceof Response) {
      if (outcome.ok || outcome.status === 304) return outcome;
      const again = outcome.status === 429 || ([502, 503, 504].includes(outcome.status) && repeatable !== "never");
      if (last || !again) throw await refusalOf(outcome);
      const after = Number(outcome.headers.get("retry-after") ?? Number.NaN) * 1_000;
      await outcome.body?.cancel();
      await wait(Number.isFinite(after) ? Math.min(after, LONGEST_WAIT_MS) : pause(attempt), signal);
    } else {
      if (last || repeatable === "never") throw outcome;
      await wait(pause(attempt), signal);
    }
  }
}

/** Longer each time, and never the same for everybody. */
export function pause(attempt: number): number {
  return Math.min(FIRST_WAIT_MS * 2 ** attempt, LONGEST_WAIT_MS) * (0.5 + Math.random() / 2);
}

async function once(
  make: () => { url: string; init: RequestInit },
  { timeoutMs, fetch: ask }: Attempts,
  signal?: AbortSignal | null,
): Promise<Response | SkillGatewayError> {
  signal?.throwIfAborted();
  const ended = new AbortController();
  const stop = () => ended.abort(signal?.reason);
  signal?.addEventListener("abort", stop, { once: true });
  const timer = setTimeout(() => ended.abort(new DOMException("too late", "TimeoutError")), timeoutMs);
  try {
    const { url, init } = make();
    // Its body is read after this. The caller's signal still ends that; the time is over with the answer's beginning.
    return await ask(url, { ...init, signal: ended.signal });
  } catch (error) {
    signal?.removeEventListener("abort", stop);
    signal?.throwIfAborted();
    const late = ended.signal.aborted;
    const message = late
      ? `The gateway did not answer within ${timeoutMs} ms`
      : `The gateway cannot be reached: ${error instanceof Error ? error.message : String(error)}`;
    return new SkillGatewayError({ status: 0, code: late ? "TIMEOUT" : "UNREACHABLE", message }, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** Waits, unless the caller leaves. */
export function wait(milliseconds: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    if (signal?.aborted) stop();
    signal?.addEventListener("abort", stop, { once: true });
  });
}
