// Sends one request with timeouts and retries.

import { refusalOf, SkillGatewayError } from "./errors.js";

export interface Attempts {
  /** Maximum number of retries. */
  retries: number;
  /** Time limit in milliseconds until the response of one attempt begins. */
  timeoutMs: number;
  fetch: typeof fetch;
}

/** Whether a request can be retried if it may already have reached the gateway. */
export type Repeatable = "safe" | "idempotent" | "never";

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 20_000;

/**
 * Sends a request with retries and reads the response. Responses with 429 and refused connections are always retried, because the gateway
 * did nothing. 502, 503, 504, a lost connection and a truncated response are retried only if repeating the request does no harm.
 *
 * @param read reads a successful response; a stream is returned unread
 */
export async function send<Answer>(
  make: () => { url: string; init: RequestInit },
  repeatable: Repeatable,
  attempts: Attempts,
  read: (response: Response) => Promise<Answer>,
  signal?: AbortSignal | null,
): Promise<Answer> {
  for (let attempt = 0; ; attempt++) {
    const last = attempt >= attempts.retries;
    const outcome = await once(make, attempts, signal);
    if (outcome instanceof Response) {
      if (outcome.ok || outcome.status === 304) {
        try {
          return await read(outcome);
        } catch (error) {
          signal?.throwIfAborted();
          // A complete body that is not JSON is not retried.
          if (error instanceof SyntaxError) throw error;
          if (last || repeatable === "never") throw unreachable(error);
          await wait(pause(attempt), signal);
          continue;
        }
      }
      const again = outcome.status === 429 || ([502, 503, 504].includes(outcome.status) && repeatable !== "never");
      if (last || !again) throw await refusalOf(outcome);
      const after = Number(outcome.headers.get("retry-after") ?? Number.NaN) * 1_000;
      await outcome.body?.cancel();
      await wait(Number.isFinite(after) ? Math.min(after, LONGEST_WAIT_MS) : pause(attempt), signal);
    } else {
      if (last || (repeatable === "never" && !isRefusedConnection(outcome))) throw outcome;
      await wait(pause(attempt), signal);
    }
  }
}

/** Returns an exponentially growing delay with jitter. */
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
    // The body is read after this. The caller's signal still applies to it, but the timeout ends when the response begins.
    return await ask(url, { ...init, signal: ended.signal });
  } catch (error) {
    signal?.removeEventListener("abort", stop);
    signal?.throwIfAborted();
    const late = ended.signal.aborted;
    if (!late) return unreachable(error);
    const message = `The gateway did not respond (limit ${timeoutMs} ms). Try again.`;
    return new SkillGatewayError({ status: 0, code: "TIMEOUT", message }, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

function unreachable(cause: unknown): SkillGatewayError {
  const message = `The gateway cannot be reached: ${cause instanceof Error ? cause.message : String(cause)}. Check its URL.`;
  return new SkillGatewayError({ status: 0, code: "UNREACHABLE", message }, { cause });
}

/**
 * Whether no connection was made, for example while a local gateway restarts. Node reports this in the cause of a `TypeError`. Browsers do
 * not report it.
 */
function isRefusedConnection({ cause }: SkillGatewayError): boolean {
  const reason = cause instanceof Error ? cause.cause : undefined;
  return reason instanceof Error && "code" in reason && reason.code === "ECONNREFUSED";
}

/** Waits. Rejects when the signal aborts. */
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
