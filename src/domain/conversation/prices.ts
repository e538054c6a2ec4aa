// What providers charge for the beginning of a prompt that they have seen before, by model: one dated table, for money and for cold
// moments alike. Prices are parts of one ordinary input token. A model that is not here is never taken for cold, and nothing is
// known of what it costs.

/** A row of the table. Facts change: `checked` says when somebody last looked at the source. */
export interface CachePrice {
  /** The beginning of the model's name, after any `provider/`. The longest that fits counts; dots and hyphens are one. */
  match: string;
  /** A token that is read from the cache. */
  read: number;
  /** A token that is written to it, by how long it is kept; the first is what a caller gets who does not choose. */
  write: Readonly<Record<string, number>>;
  /** Seconds since the last call after which nothing is kept any more; `null` where nobody promises anything. */
  ttl_s: number | null;
  /** A shorter prompt is not kept at all. */
  min_tokens: number;
  /** What is kept grows in steps of so many tokens. */
  step?: number;
  /** How the caller says what is to be kept: by marks in the request, at most so many; 0: the provider keeps prefixes by itself. */
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
  // Where the page does not name a model, the least that any newer one asks for.
  { match: "claude-", read: 0.1, min_tokens: 1_024, ...ANTHROPIC },
  { match: "claude-opus-4-5", read: 0.1, min_tokens: 4_096, ...ANTHROPIC },
  { match: "claude-opus-4-6", read: 0.1, min_tokens: 4_096, ...ANTHROPIC },
  { match: "claude-sonnet-4-6", read: 0.1, min_tokens: 2_048, ...ANTHROPIC },
  { match: "claude-haiku-4-5", read: 0.1, min_tokens: 4_096, ...ANTHROPIC },
  { match: "claude-opus-5-5", read: 0.05, min_tokens: 1_024, ...ANTHROPIC },
  { match: "claude-fable-5", read: 0.025, min_tokens: 1_024, ...ANTHROPIC },
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

/** The row of a model; `null` for a model that the table does not know. */
export function priceOf(model: string): CachePrice | null {
  const name = spelt(model.slice(model.lastIndexOf("/") + 1));
  const rows = PRICES.filter(({ match }) => name.startsWith(spelt(match)));
  return rows.toSorted((a, b) => b.match.length - a.match.length)[0] ?? null;
}

/** The row with this `match`. */
export function priceNamed(match: string): CachePrice | null {
  return PRICES.find((row) => row.match === match) ?? null;
}

/** How long after its last call a model's cache is cold, in milliseconds; `null` where that is not known. */
export function cacheLifetime(model: string): number | null {
  const seconds = priceOf(model)?.ttl_s ?? null;
  return seconds === null ? null : seconds * 1_000;
}

/** Days after which somebody should look at a row's source again. */
const FRESH_DAYS = 180;

/** Whether a row is too old to be shown without a word about it. */
export function isStale({ checked }: Pick<CachePrice, "checked">, now: number): boolean {
  return now - Date.parse(checked) > FRESH_DAYS * 24 * 60 * 60_000;
}

/** The price of a written token where the caller does not choose how long it is kept. */
export function writePrice({ write }: Pick<CachePrice, "write">): number {
  return Object.values(write)[0] ?? 1;
}

function spelt(name: string): string {
  return name.toLowerCase().replaceAll(".", "-");
}
