// Computes what a conversation is billed for its prompts, and what it would have cost in two other ways: with all instructions pasted into
// the system prompt, and with each loaded skill appended and never removed. The gateway does not see the requests, so they are modelled; if
// the caller reports the provider's counts, the model only provides the difference between the ways.

import * as z from "zod";
import { type CachePrice, writePrice } from "./prices";
import { sentTokens, type Usage } from "./usage";

/** A sum for each compared method, in tokens at the price of an ordinary input token. */
const waysSchema = z.object({ actual: z.number(), paste: z.number(), append_only: z.number() });

/**
 * The part of the previous request that a provider finds in its cache: all, the part before the messages, the stable part of that, or
 * nothing.
 */
const cachedPartSchema = z.enum(["all", "front", "stable", "none"]);

/** The prices when a turn began, so that a later price table does not change the meaning of a log. */
export const ledgerPriceSchema = z.lazy(() =>
  z.object({
    /** The row's `match`; `null`: unknown model, each token costs one. */
    match: z.string().nullable(),
    read: z.number(),
    write: z.number(),
    long_write: z.number(),
    min_tokens: z.number(),
    ttl_ms: z.number().nullable(),
  }),
);

const requestSchema = z.lazy(() =>
  z.object({
    /** Milliseconds since the epoch. */
    at: z.number(),
    /** Whether it exists only because skills are loaded on demand. */
    extra: z.boolean(),
    /** Tokens before the messages; the part of them that never changes; and tokens of instructions in the messages. */
    front: waysSchema,
    stable: waysSchema,
    held: waysSchema,
    /** Tokens of the messages that are equal in all ways, and whether the caller reported them. */
    talk: z.number(),
    told: z.boolean(),
    kept: z.object({ actual: cachedPartSchema, paste: cachedPartSchema, append_only: cachedPartSchema }),
  }),
);

export const ledgerSchema = z.lazy(() =>
  z.object({
    price: ledgerPriceSchema.nullable(),
    /** Of finished requests. */
    billed: waysSchema,
    requests: z.number(),
    /** Number of requests of unreported size. */
    guessed: z.number(),
    /** The last closed request: what each method sent, when, and whether its size was reported. */
    before: z.object({ sent: waysSchema, at: z.number(), reported: z.boolean() }).nullable(),
    /** The request whose usage is not reported yet. */
    open: requestSchema.nullable(),
    /** Tokens of the tools and the list in the first turn, for the way that only appends. */
    own: z.number().nullable(),
    /** Versions that were appended, and their tokens. */
    appended: z.array(z.string()),
    appended_tokens: z.number(),
    loads: z.number(),
    /** Names of skills whose instructions were sent again after removal. Removing them again would not pay. */
    wanted_again: z.array(z.string()),
    /** Consecutive reports without cache reads although reads were expected. */
    unread: z.number(),
    /** Whether the last report shows a history that is not cached. */
    uncached: z.boolean(),
  }),
);

export type LedgerPrice = z.infer<typeof ledgerPriceSchema>;
export type Ledger = z.infer<typeof ledgerSchema>;
export type OpenRequest = z.infer<typeof requestSchema>;
export type LedgerTotals = z.infer<typeof waysSchema>;
type CachedPart = z.infer<typeof cachedPartSchema>;

const NOTHING: LedgerTotals = { actual: 0, paste: 0, append_only: 0 };

export const EMPTY_LEDGER: Ledger = {
  price: null,
  billed: NOTHING,
  requests: 0,
  guessed: 0,
  before: null,
  open: null,
  own: null,
  appended: [],
  appended_tokens: 0,
  loads: 0,
  wanted_again: [],
  unread: 0,
  uncached: false,
};

/** Number of reports without cached tokens after which the caller counts as having no cache. */
const NO_CACHE = 3;

/** Returns the current prices of a model. For an unknown model, each token costs one. */
export function ledgerPrice(price: CachePrice | null): LedgerPrice {
  if (price === null) return { match: null, read: 1, write: 1, long_write: 1, min_tokens: 0, ttl_ms: null };
  const { match, read, min_tokens, ttl_s } = price;
  const write = writePrice(price);
  const long_write = Math.max(...Object.values(price.write));
  return { match, read, write, long_write, min_tokens, ttl_ms: ttl_s === null ? null : ttl_s * 1_000 };
}

/** Returns what a provider bills for reported counts. */
function priceOfUsage({ fresh, cache_read, cache_write, long_write = 0 }: Usage, price: LedgerPrice): number {
  const written = (cache_write - long_write) * price.write + long_write * price.long_write;
  return fresh + cache_read * price.read + written;
}

/** Returns the billed cost of this many tokens, the first of which are cached. Prompts below the minimum are not cached. */
function priceOfSent(sent: number, known: number, price: LedgerPrice): number {
  if (sent < price.min_tokens) return sent;
  const read = known >= price.min_tokens ? Math.min(known, sent) : 0;
  return read * price.read + (sent - read) * price.write;
}

const WAYS = ["actual", "paste", "append_only"] as const;

function inEach(amount: (way: (typeof WAYS)[number]) => number): LedgerTotals {
  return { actual: amount("actual"), paste: amount("paste"), append_only: amount("append_only") };
}

/** A modelled request: what each method sends and what is billed for it. */
function model(
  ledger: Ledger,
  open: OpenRequest,
  usage: Usage | null,
): { sent: LedgerTotals; known: LedgerTotals; billed: LedgerTotals } {
  const { before } = ledger;
  const price = ledger.price ?? ledgerPrice(null);
  const { front, stable, held } = open;
  // The unknown part of the messages cancels out, because it is equal in all ways.
  const talk = usage === null ? open.talk : Math.max(0, sentTokens(usage) - front.actual - held.actual);
  const sent = inEach((way) => front[way] + held[way] + talk);
  const kept = { all: Number.POSITIVE_INFINITY, none: 0 };
  const known = inEach((way) => {
    const most = { ...kept, front: front[way], stable: stable[way] }[open.kept[way]];
    return before === null ? 0 : Math.min(most, before.sent[way], sent[way]);
  });
  const billed = inEach((way) => (way === "paste" && open.extra ? 0 : priceOfSent(sent[way], known[way], price)));
  return { sent, known, billed };
}

/** Ends the open request, with the provider's counts if reported. */
export function closeRequest(ledger: Ledger, usage: Usage | null): Ledger {
  const { open, before } = ledger;
  if (open === null) return ledger;
  const price = ledger.price ?? ledgerPrice(null);
  const { sent, known, billed } = model(ledger, open, usage);
  const correction = usage === null ? 0 : priceOfUsage(usage, price) - billed.actual;
  const paste = open.extra ? (before?.sent.paste ?? 0) : sent.paste;
  const closed: Ledger = {
    ...ledger,
    billed: inEach((way) => ledger.billed[way] + billed[way] + correction),
    requests: ledger.requests + 1,
    guessed: ledger.guessed + (usage === null && !open.told ? 1 : 0),
    before: { sent: { ...sent, paste }, at: open.at, reported: usage !== null },
    open: null,
  };
  if (usage === null) return closed;
  const isInTime = before !== null && price.ttl_ms !== null && open.at - before.at <= price.ttl_ms;
  const expected = isInTime && before.reported && open.kept.actual === "all" && known.actual >= price.min_tokens;
  const unread = usage.cache_read > 0 ? 0 : ledger.unread + (expected && price.match !== null ? 1 : 0);
  const messages = sent.actual - open.front.actual;
  const uncached = price.match !== null && messages >= price.min_tokens && 2 * usage.fresh > messages;
  return { ...closed, unread, uncached };
}

/** Whether the caller's provider has no cache, according to its reports including the current one. */
export function hasNoCache(ledger: Ledger, usage: Usage | null): boolean {
  return closeRequest(ledger, usage).unread >= NO_CACHE;
}

/**
 * Returns the sums so far, rounded so that differences between sums add up; with or without the open request. `sent`: the last counted
 * request.
 */
export function ledgerSums(
  ledger: Ledger,
  until: "open" | "closed",
): { billed: LedgerTotals; requests: number; sent: LedgerTotals | null } {
  const { before, requests } = ledger;
  const now = until === "closed" || ledger.open === null ? null : model(ledger, ledger.open, null);
  const sent = now?.sent ?? before?.sent ?? null;
  return {
    billed: inEach((way) => Math.round(ledger.billed[way] + (now?.billed[way] ?? 0))),
    requests: requests + (now === null ? 0 : 1),
    sent: sent === null ? null : inEach((way) => Math.round(sent[way])),
  };
}

/** Returns the billed totals so far, including the modelled open request. */
export function billedOf(ledger: Ledger): LedgerTotals & {
  estimated: boolean;
  saved_percent: number;
  saved_over_append_percent: number;
} {
  const { open, requests } = ledger;
  const sums = ledgerSums(ledger, "open").billed;
  return {
    ...sums,
    estimated: ledger.guessed > 0 || (requests === 0 && open?.told !== true),
    saved_percent: saved(sums.actual, sums.paste),
    saved_over_append_percent: saved(sums.actual, sums.append_only),
  };
}

function saved(actual: number, other: number): number {
  return other <= 0 ? 0 : Math.round((1 - actual / other) * 1_000) / 10;
}

/** Returns what remains cached if both happen. */
export function shorterCacheLifetime(a: CachedPart, b: CachedPart): CachedPart {
  const order: CachedPart[] = ["none", "stable", "front", "all"];
  return order[Math.min(order.indexOf(a), order.indexOf(b))] ?? "none";
}
