// Reads the public keys of a token issuer (JWKS), with limits on time and size. Keys are cached, and for longer while the issuer is
// unavailable.

import * as z from "zod";
import { DURATIONS } from "../domain/durations";
import { GatewayError } from "../domain/errors";
import { ACCESS_LIMITS, PUBLISHER_LIMITS } from "../domain/limits";
import { Recent } from "../domain/recent";

/** Public keys only: a symmetric key must never verify a token. */
const keySetSchema = z.lazy(() =>
  z.object({
    keys: z
      .array(z.looseObject({ kty: z.string() }))
      .max(ACCESS_LIMITS.keySetKeys)
      .transform((keys) => keys.filter((key) => ["RSA", "EC", "OKP"].includes(key.kty))),
  }),
);

export type KeySet = z.infer<typeof keySetSchema>;

/** The fetch function and the clock. */
export interface Fetching {
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  now: number;
}

interface Known {
  set: KeySet;
  readAt: number;
}

interface State {
  known: Known | null;
  /** Time of the last attempt to renew the cached keys. */
  triedAt: number;
  failedAt: number;
  /** Time of the last search for a key that was not cached. */
  lookedAt: number;
}

/**
 * By URL, for the lifetime of the isolate. Requests share the results, but not a read in progress, because its I/O belongs to one request.
 */
const states = new Recent<string, State>(PUBLISHER_LIMITS.issuers);

/**
 * Returns the issuer's keys. Cached keys are used while they are fresh, or while the issuer is unavailable. Throws `unavailable` if there
 * are none.
 */
export async function readKeySet(url: string, asking: Fetching): Promise<KeySet> {
  const { now } = asking;
  const state = stateOf(url);
  const { known } = state;
  if (known !== null && now - known.readAt < DURATIONS.keySetFresh) return known.set;
  const cachedSet = known !== null && now - known.readAt < DURATIONS.keySetKept ? known.set : null;
  const tooSoon = now - (cachedSet === null ? state.failedAt : state.triedAt) < DURATIONS.keySetRetry;
  if (!tooSoon) state.triedAt = now;
  const set = (tooSoon ? null : await renew(url, state, asking)) ?? cachedSet;
  if (set !== null) return set;
  throw new GatewayError(
    "unavailable",
    "ISSUER_UNAVAILABLE",
    "The issuer of the token does not respond. Try again in a moment.",
  );
}

/** Returns keys that are newer than `set`, or `null`. Sends at most one request per minute, even if tokens use unknown keys. */
export async function readNewerKeySet(url: string, set: KeySet, asking: Fetching): Promise<KeySet | null> {
  const state = stateOf(url);
  if (state.known !== null && state.known.set !== set) return state.known.set;
  if (asking.now - state.lookedAt < DURATIONS.keySetLook) return null;
  state.lookedAt = asking.now;
  return renew(url, state, asking);
}

function stateOf(url: string): State {
  const never = Number.NEGATIVE_INFINITY;
  const state = states.get(url) ?? { known: null, triedAt: never, failedAt: never, lookedAt: never };
  states.set(url, state);
  return state;
}

/** Reads the keys again. On failure, returns `null` and writes a log line. */
async function renew(url: string, state: State, { fetch, now }: Fetching): Promise<KeySet | null> {
  try {
    const signal = AbortSignal.timeout(DURATIONS.keySetFetch);
    const answer = await fetch(url, { headers: { accept: "application/json" }, redirect: "manual", signal });
    if (answer.status !== 200) throw new Error(`status ${answer.status}`);
    const set = keySetSchema.parse(JSON.parse(await readText(answer)));
    state.known = { set, readAt: now };
    return set;
  } catch (error) {
    state.failedAt = now;
    console.error(JSON.stringify({ event: "issuer_keys_failed", error: String(error) }));
    return null;
  }
}

async function readText(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.length;
    if (bytes > ACCESS_LIMITS.keySetBytes) throw new Error("too large");
    chunks.push(chunk);
  }
  return new Blob(chunks).text();
}
