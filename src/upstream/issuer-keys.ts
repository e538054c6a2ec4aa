// The keys that a token issuer publishes (JWKS): read with caps on time and size, kept for a while, and kept longer while the
// issuer does not answer.

import * as z from "zod";
import { DURATIONS } from "../domain/durations";
import { GatewayError } from "../domain/errors";
import { ACCESS_LIMITS } from "../domain/limits";

/** Only public keys: a shared secret among them must never check anything. */
const keySetSchema = z.lazy(() =>
  z.object({
    keys: z
      .array(z.looseObject({ kty: z.string() }))
      .max(ACCESS_LIMITS.keySetKeys)
      .transform((keys) => keys.filter((key) => ["RSA", "EC", "OKP"].includes(key.kty))),
  }),
);

export type KeySet = z.infer<typeof keySetSchema>;

/** How an address is asked, and by which clock. */
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
  /** When it was last tried to renew what is known. */
  triedAt: number;
  failedAt: number;
  /** When a key that is not among them was last looked for. */
  lookedAt: number;
}

/** By address, for as long as the isolate lives. Requests share what was read, never a read under way: that is one's own. */
const states = new Map<string, State>();

/** The issuer's keys; what is known, while that is new or the issuer is away. Throws `unavailable` when there are none. */
export async function readKeySet(url: string, asking: Fetching): Promise<KeySet> {
  const { now } = asking;
  const state = stateOf(url);
  const { known } = state;
  if (known !== null && now - known.readAt < DURATIONS.keySetFresh) return known.set;
  const kept = known !== null && now - known.readAt < DURATIONS.keySetKept ? known.set : null;
  const tooSoon = now - (kept === null ? state.failedAt : state.triedAt) < DURATIONS.keySetRetry;
  if (!tooSoon) state.triedAt = now;
  const set = (tooSoon ? null : await renew(url, state, asking)) ?? kept;
  if (set !== null) return set;
  throw new GatewayError(
    "unavailable",
    "ISSUER_UNAVAILABLE",
    "The issuer of the token does not respond. Try again in a moment.",
  );
}

/** The keys, if there are newer ones than these: asked for at most once a minute, also when tokens name unknown keys. */
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

/** Reads the keys anew; `null`, and a line in the log, when that fails. */
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
