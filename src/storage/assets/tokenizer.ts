// Counts tokens exactly with o200k_base, the encoding of the current OpenAI models, for publishing and validating. The ranks (1 MiB gzip)
// are a static asset built by scripts/build/tokens.mjs, so other requests do not load them.

import * as z from "zod";
import { type Counter, makeCounter, type Ranks } from "../../domain/bpe";
import { DURATIONS } from "../../domain/durations";
import { GatewayError } from "../../domain/errors";

const RANKS_URL = "https://assets.local/tokens/o200k_base.json";
/** The ranks are one file of 2.5 MB, read once per isolate. They get more time than a query. */
const RANKS_DEADLINE = 5 * DURATIONS.storage;

const ranksSchema = z.lazy(() =>
  z.object({
    encoding: z.literal("o200k_base"),
    /** The regular expression that splits a text into pieces. No token spans two pieces. */
    pattern: z.string(),
    /** A token's index is its rank. One character (0 to 255) per byte. Checked by hand, because zod would visit 200 000 schemas. */
    tokens: z.custom<string[]>(
      (value) => Array.isArray(value) && value.length >= 256 && value.every((token) => typeof token === "string"),
    ),
  }),
);
// The value is cached, not its promise: a promise that depends on the I/O of one request never settles if that request is cancelled. Two
// concurrent first requests fetch twice, which is harmless.
let counter: Counter | undefined;

/**
 * Counts the tokens of each text. The first call in an isolate fetches the ranks.
 * @throws GatewayError `unavailable` if the ranks cannot be loaded; the next call tries again
 */
export async function countTokens(assets: Pick<Fetcher, "fetch">, texts: readonly string[]): Promise<number[]> {
  if (texts.length === 0) return [];
  if (counter === undefined) {
    const made = await fetchRanks(assets).then(makeCounter).catch(unavailable);
    counter ??= made;
  }
  return texts.map(counter);
}

async function fetchRanks(assets: Pick<Fetcher, "fetch">): Promise<Ranks> {
  const response = await assets.fetch(RANKS_URL, { signal: AbortSignal.timeout(RANKS_DEADLINE) });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`The asset ${RANKS_URL} answered ${response.status}.`);
  }
  return ranksSchema.parse(await response.json());
}

function unavailable(cause: unknown): never {
  const refusal = new GatewayError(
    "unavailable",
    "TOKENIZER_UNAVAILABLE",
    "Tokens cannot be counted at the moment. Try again.",
  );
  refusal.cause = cause;
  throw refusal;
}
