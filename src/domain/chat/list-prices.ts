// List prices of models at their vendors, and the cost of counted tokens. A model without a row has no known price, and none is guessed.

import { sentTokens, spentTokens, type Usage } from "../conversation/usage";
import type { JsonObject } from "../json";
import { FREE_TIERS } from "./allowance";
import type { ModelEntry } from "./model-entry";

/** US dollars per million tokens. */
export interface TokenPrices {
  /** Input tokens that are neither read from a cache nor written to one. */
  input: number;
  cache_read: number;
  cache_write: number;
  /** Written to a cache with a longer lifetime. */
  long_write: number;
  output: number;
}

interface ListPrice extends TokenPrices {
  /** Host of the vendor's API. Other servers have their own prices for the same model. */
  host: string;
  /** The model's name, without a date. */
  model: string;
  /** Requests with more input tokens cost more. They are not priced. */
  most_input: number;
}

/** The day on which the sources were last read. */
export const LIST_PRICES_OF = "2026-11-26";

/** platform.claude.com/docs: pricing. Writing costs 1.25 or, for an hour, 2 input tokens. */
function claude(model: string, input: number, cache_read: number, output: number, most_input = Infinity): ListPrice {
  const write = { cache_write: input * 1.25, long_write: input * 2 };
  return { host: "api.anthropic.com", model, input, cache_read, ...write, output, most_input };
}

/** developers.openai.com/api/docs: pricing, of the standard tier. `write`: the price of a written token in input tokens. */
function openai(
  model: string,
  [input, cache_read, output]: readonly [number, number, number],
  { write = 1, most_input = Infinity } = {},
): ListPrice {
  const cache_write = input * write;
  return { host: "api.openai.com", model, input, cache_read, cache_write, long_write: cache_write, output, most_input };
}

const LONG = { most_input: 272_000 };
const LONG_AND_WRITES = { most_input: 272_000, write: 1.25 };

export const LIST_PRICES: readonly ListPrice[] = [
  claude("claude-fable-5-1", 10, 0.25, 50),
  claude("claude-fable-5", 10, 1, 50),
  claude("claude-opus-5-5", 4, 0.2, 20),
  claude("claude-opus-5", 5, 0.5, 25),
  claude("claude-opus-4-8", 5, 0.5, 25),
  claude("claude-opus-4-7", 5, 0.5, 25),
  claude("claude-opus-4-6", 5, 0.5, 25),
  claude("claude-opus-4-5", 5, 0.5, 25),
  claude("claude-sonnet-5-5", 2, 0.1, 10),
  claude("claude-sonnet-5", 2, 0.2, 10),
  claude("claude-sonnet-4-6", 3, 0.3, 15),
  claude("claude-sonnet-4-5", 3, 0.3, 15, 200_000),
  claude("claude-haiku-5-5", 0.1, 0.01, 0.5, 100_000),
  claude("claude-haiku-4-5", 1, 0.1, 5),
  openai("gpt-6.1-sol", [2, 0.1, 10], LONG_AND_WRITES),
  openai("gpt-6-sol", [2, 0.2, 10], LONG_AND_WRITES),
  openai("gpt-6-luna", [0.1, 0.01, 0.5], LONG_AND_WRITES),
  openai("gpt-5.6-terra", [2, 0.2, 12], LONG_AND_WRITES),
  openai("gpt-5.6-luna", [0.2, 0.02, 1.2], LONG_AND_WRITES),
  openai("gpt-5.5", [5, 0.5, 30], LONG),
  openai("gpt-5.4", [2.5, 0.25, 15], LONG),
  openai("gpt-5.4-mini", [0.75, 0.075, 4.5]),
  openai("gpt-5.4-nano", [0.2, 0.02, 1.25]),
  openai("gpt-5.2", [1.75, 0.175, 14]),
  openai("gpt-5", [1.25, 0.125, 10]),
  openai("gpt-5-mini", [0.25, 0.025, 2]),
  openai("gpt-4.1", [2, 0.5, 8]),
  openai("gpt-4o-mini", [0.15, 0.075, 0.6]),
];

const VENDORS: ReadonlySet<string> = new Set(LIST_PRICES.map(({ host }) => host));

/**
 * Returns the server and model of an entry, as which its tokens are counted; empty for servers without list prices. Users choose their
 * servers and names of models, so these would be an unlimited number of values.
 */
export function billedAs({ base_url, model }: Pick<ModelEntry, "base_url" | "model">): string {
  const { host = "" } = URL.parse(base_url) ?? {};
  return VENDORS.has(host) ? `${host}/${model}` : "";
}

/** A name can end with the date of its version. */
const DATE = /^-20\d{2}-?\d{2}-?\d{2}$/;

/** Returns the list price of a server and model of `billedAs`; `null` if unknown. */
export function listPrice(billed: string): ListPrice | null {
  const found = LIST_PRICES.find(({ host, model }) => {
    const name = `${host}/${model}`;
    return billed === name || (billed.startsWith(name) && DATE.test(billed.slice(name.length)));
  });
  return found ?? null;
}

/**
 * Whether a request has the standard prices of its model: not those of another tier, speed or region, or of a longer input.
 *
 * @param reported the usage as the vendor reports it, which can name another tier than the request
 */
export function hasStandardPrice(billed: string, body: JsonObject, reported: JsonObject, usage: Usage): boolean {
  const isStandard = [body, reported].every(({ service_tier = null, speed = null }) =>
    [service_tier, speed].every((value) => value === null || FREE_TIERS.has(value)),
  );
  const { inference_geo: region = null } = body;
  return (
    isStandard &&
    (region === null || region === "global") &&
    sentTokens(usage) <= (listPrice(billed)?.most_input ?? Infinity)
  );
}

/** Tokens of a server and model. */
export interface BilledTokens {
  /** `null` or empty: unknown. */
  billed_as: string | null;
  usage: Usage;
}

/** The known cost of some tokens. */
export interface KnownCost {
  /** US dollars, rounded to millionths once for the sum; `null` if no token has a known price. */
  cost_usd: number | null;
  /** The tokens that it is the cost of. */
  priced_tokens: number;
}

/** Returns the cost of tokens at the list prices. Tokens without a known price are left out. */
export function costOf(all: readonly BilledTokens[]): KnownCost {
  let millionths = 0;
  let priced_tokens = 0;
  for (const { billed_as, usage } of all) {
    const prices = listPrice(billed_as ?? "");
    if (prices === null) continue;
    millionths += costInMillionths(usage, prices);
    priced_tokens += spentTokens(usage);
  }
  return { cost_usd: priced_tokens === 0 ? null : Math.round(millionths) / 1_000_000, priced_tokens };
}

/** A token at one dollar per million costs a millionth of a dollar. */
function costInMillionths(usage: Usage, prices: TokenPrices): number {
  const { fresh, cache_read, cache_write, long_write = 0, output } = usage;
  const written = (cache_write - long_write) * prices.cache_write + long_write * prices.long_write;
  return fresh * prices.input + cache_read * prices.cache_read + written + output * prices.output;
}
