// Prices of cached prompt prefixes by model: one dated table, for costs and for cache lifetimes. Prices are fractions of one ordinary input
// token. Unknown models never count as cold, and their costs are unknown.

/** A row of the table. `checked`: the date on which its source was last read. */
export interface CachePrice {
  /** Prefix of the model's name, without any `provider/`. The longest matching prefix applies. Dots and hyphens are equal. */
  match: string;
  /** Price of a token read from the cache. */
  read: number;
  /** Price of a written token by cache lifetime. The first is the provider's default. */
  write: Readonly<Record<string, number>>;
  /** Seconds after the last call until the cache expires; `null`: not documented. */
  ttl_s: number | null;
  /** Shorter prompts are not cached. */
  min_tokens: number;
  /** The cached prefix grows in steps of this many tokens. */
  step?: number;
  /** Maximum number of cache markers in a request; 0: the provider caches prefixes automatically. */
  marks: number;
  source: string;
  checked: string;
}

const CHECKED = "2026-11-21";

const ANTHROPIC = {
  write: { "5m": 1.25, "1h": 2 },
  ttl_s: 5 * 60,
  marks: 4,
  source: "platform.claude.com/docs: prompt caching, pricing",
  checked: CHECKED,
};
const OPENAI = {
  write: { "24h": 1 },
  ttl_s: 24 * 60 * 60,
  min_tokens: 1_024,
  step: 128,
  marks: 0,
  source: "developers.openai.com/api/docs: prompt caching, pricing",
  checked: CHECKED,
};

export const PRICES: readonly CachePrice[] = [
  // For models that the page does not list, the smallest minimum of any newer model.
  { match: "claude-", read: 0.1, min_tokens: 1_024, ...ANTHROPIC },
  { match: "claude-opus-4-5", read: 0.1, min_tokens: 4_096, ...ANTHROPIC },
  { match: "claude-opus-4-6", read: 0.1, min_tokens: 4_096, ...ANTHROPIC },
  { match: "claude-sonnet-4-6", read: 0.1, min_tokens: 2_048, ...ANTHROPIC },
  { match: "claude-haiku-4-5", read: 0.1, min_tokens: 4_096, ...ANTHROPIC },
  { match: "claude-opus-5-5", read: 0.05, min_tokens: 1_024, ...ANTHROPIC },
  { match: "claude-sonnet-5-5", read: 0.05, min_tokens: 1_024, ...ANTHROPIC, checked: "2026-11-26" },
  { match: "claude-fable-5", read: 0.1, min_tokens: 1_024, ...ANTHROPIC, checked: "2026-11-26" },
  { match: "claude-fable-5-1", read: 0.025, min_tokens: 1_024, ...ANTHROPIC, checked: "2026-11-26" },
  { match: "gpt-4o", read: 0.5, ...OPENAI, write: { "1h": 1 }, ttl_s: 60 * 60 },
  { match: "gpt-4.1", read: 0.25, ...OPENAI },
  { match: "gpt-5", read: 0.1, ...OPENAI },
  { match: "gpt-5.6", read: 0.1, ...OPENAI, write: { "30m": 1.25, "12h": 1.25 }, ttl_s: 30 * 60, marks: 4 },
  {
    match: "deepseek-",
    read: 0.03,
    write: { day: 1 },
    ttl_s: 24 * 60 * 60,
    min_tokens: 64,
    step: 64,
    marks: 0,
    source: "api-docs.deepseek.com: context caching, pricing",
    checked: CHECKED,
  },
  {
    match: "gemini-",
    read: 0.1,
    write: { implicit: 1 },
    ttl_s: null,
    min_tokens: 4_096,
    marks: 0,
    source: "ai.google.dev/gemini-api/docs: context caching, pricing",
    checked: CHECKED,
  },
];

/** Returns the row of a model; `null` if unknown. */
export function priceOf(model: string): CachePrice | null {
  const name = spelt(model.slice(model.lastIndexOf("/") + 1));
  const rows = PRICES.filter(({ match }) => name.startsWith(spelt(match)));
  return rows.toSorted((a, b) => b.match.length - a.match.length)[0] ?? null;
}

/** Returns the row with this `match`. */
export function priceNamed(match: string): CachePrice | null {
  return PRICES.find((row) => row.match === match) ?? null;
}

/** Returns the milliseconds after the last call until a model's cache is cold; `null` if unknown. */
export function cacheLifetime(model: string): number | null {
  const seconds = priceOf(model)?.ttl_s ?? null;
  return seconds === null ? null : seconds * 1_000;
}

/** Days after which a row's source should be checked again. */
const FRESH_DAYS = 180;

/** Whether a row is so old that its use needs a warning. */
export function isStale({ checked }: Pick<CachePrice, "checked">, now: number): boolean {
  return now - Date.parse(checked) > FRESH_DAYS * 24 * 60 * 60_000;
}

/** Returns the price of a written token with the default lifetime. */
export function writePrice({ write }: Pick<CachePrice, "write">): number {
  return Object.values(write)[0] ?? 1;
}

function spelt(name: string): string {
  return name.toLowerCase().replaceAll(".", "-");
}
