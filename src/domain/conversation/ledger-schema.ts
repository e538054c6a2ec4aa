// The ledger as it is stored in events and snapshots: what a conversation was billed for its prompts.

import * as z from "zod";

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
export type CachedPart = z.infer<typeof cachedPartSchema>;

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
