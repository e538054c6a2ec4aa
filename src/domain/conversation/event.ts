// The event log of a conversation: what is appended when something happens to it, and never edited. The schemas are a storage
// format and so a promise: a log written by an older gateway must still fold.

import * as z from "zod";
import { retentionSchema } from "../catalog/ghost";
import { skillRefSchema } from "../catalog/skill-ref";
import { ledgerPriceSchema } from "./ledger";
import { usageSchema } from "./usage";

/**
 * Where a loaded skill's instructions go: the system prompt, a message of its own, or the tool's answer. `auto`: the tool's answer,
 * and nothing that was sent changes, so that the provider's prompt cache holds.
 */
export const deliverySchema = z.enum(["system", "message", "tool_result", "auto"]);

/** The settings a turn runs under. They change only with the next turn. */
export const policySchema = z.lazy(() =>
  z.object({
    retention: retentionSchema,
    delivery: deliverySchema,
    tool_mode: z.enum(["dynamic", "fixed"]),
    tool_style: z.enum(["load_skill", "skill"]),
    max_active_skills: z.number().nullable(),
    max_skill_tokens: z.number().nullable(),
    max_skill_bytes: z.number().optional(),
  }),
);

/** A message whose instructions the caller replaces. `required`: the skill may not be used any more, so that leaving it is no choice. */
const contextEditSchema = z.object({ id: z.string(), required: z.boolean() });

/** What a caller is asked to do with its history when a turn begins. */
export const historyAskSchema = z.object({
  edits: z.array(contextEditSchema),
  append: z.object({ id: z.string(), names: z.array(z.string()) }).nullable(),
});

/** What is known of a turn's first model request, and of the last one of the turn before. */
const turnLedgerSchema = z.lazy(() =>
  z.object({
    /** Milliseconds since the epoch. */
    at: z.number(),
    /** Whether the provider keeps nothing of the conversation. */
    cold: z.boolean(),
    price: ledgerPriceSchema,
    /** Tokens before the messages that are there in any way, and those of the gateway's tools and list. */
    shared: z.number(),
    own: z.number(),
    /** As the caller says; `null`: it does not. */
    history_tokens: z.number().nullable(),
    usage: usageSchema.nullable(),
    /** Model steps of the turn before that no event tells of. */
    steps: z.number(),
  }),
);

/** A model step, by when its calls came. `alone`: they do nothing but find, load and unload skills. */
const stepSchema = z.lazy(() => z.object({ at: z.number(), alone: z.boolean() }));

/** `skills` holds a reference to everything that is active in the turn, at the version it is now. */
const turnEvent = z.lazy(() =>
  z.object({
    type: z.literal("turn"),
    turn: z.number(),
    policy: policySchema,
    skills: z.array(skillRefSchema),
    preloaded: z.array(z.string()),
    selected: z.array(z.string()),
    history_cut: z.boolean(),
    /** Prompt tokens: of static injection of the whole catalog, and of the catalog's list. */
    cost: z.object({ static: z.number(), list: z.number() }),
    /**
     * Under `auto`: the messages that the caller says it still has (`null`: it does not say), those it is asked to replace, and the
     * instructions it is asked to append. Absent in logs of earlier gateways.
     */
    history: historyAskSchema.extend({ have: z.array(z.string()).nullable() }).optional(),
    /** Absent in logs of earlier gateways. */
    ledger: turnLedgerSchema.optional(),
  }),
);

/**
 * `skills` ends with the loaded one; its dependencies come first. `delivered`: those whose instructions are in the answer, which is
 * that to `call` under `auto`. `used`: nobody loaded it, but a tool of it was called while its instructions still stood there.
 * `retold`: it was only told again, and stays as long as it would have.
 */
const loadedEvent = z.lazy(() =>
  z.object({
    type: z.literal("loaded"),
    turn: z.number(),
    name: z.string(),
    skills: z.array(skillRefSchema),
    delivered: z.array(z.string()),
    call: z.string().optional(),
    used: z.boolean().optional(),
    retold: z.boolean().optional(),
    /** Absent in logs of earlier gateways. */
    step: stepSchema.optional(),
  }),
);

/** A file, tool or script of an active skill was used. */
const touchedEvent = z.lazy(() => z.object({ type: z.literal("touched"), turn: z.number(), name: z.string() }));

/** The caller told what the request before a model step used. */
const stepEvent = z.lazy(() =>
  z.object({ type: z.literal("step"), turn: z.number(), step: stepSchema, usage: usageSchema }),
);

const unloadedEvent = z.lazy(() =>
  z.object({
    type: z.literal("unloaded"),
    turn: z.number(),
    name: z.string(),
    reason: z.enum(["requested", "evicted", "unavailable"]),
  }),
);

/**
 * Replaces all activations and sets the turn: `loads` says in which turn of the history each was loaded last, and `delivered`
 * whose instructions stand in it. Logs of earlier gateways do not say, so none do: to give them again loses nothing but tokens.
 */
const restoredEvent = z.lazy(() =>
  z.object({
    type: z.literal("restored"),
    turn: z.number(),
    policy: policySchema,
    skills: z.array(skillRefSchema),
    loads: z.array(z.object({ name: z.string(), turn: z.number() })),
    preloaded: z.array(z.string()),
    delivered: z.array(z.string()).default([]),
    /** Under `auto`: whose answers hold them. */
    calls: z.array(z.object({ id: z.string(), names: z.array(z.string()) })).optional(),
    /** Under `auto`: ids of messages that were known before, and that the history still has. */
    kept: z.array(z.string()).optional(),
  }),
);

export const eventSchema = z.lazy(() =>
  z.discriminatedUnion("type", [turnEvent, loadedEvent, touchedEvent, stepEvent, unloadedEvent, restoredEvent]),
);

export type ContextEdit = z.infer<typeof contextEditSchema>;
export type TurnLedger = z.infer<typeof turnLedgerSchema>;
export type ModelStep = z.infer<typeof stepSchema>;
export type HistoryAsk = z.infer<typeof historyAskSchema>;
export type Delivery = z.infer<typeof deliverySchema>;
export type Policy = z.infer<typeof policySchema>;
export type ConversationEvent = z.infer<typeof eventSchema>;
