// The event log of a conversation: events are appended and never edited. The schemas are a storage format: logs written by older gateways
// must remain readable.

import * as z from "zod";
import { retentionSchema } from "../catalog/ghost";
import { skillRefSchema } from "../catalog/skill-ref";
import { ledgerPriceSchema } from "./ledger-schema";
import { usageSchema } from "./usage";

/**
 * Where a loaded skill's instructions are sent: the system prompt, a separate message, or the tool result. `auto`: the tool result, without
 * changing anything sent before, so that the provider's prompt cache applies.
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

/** A message whose instructions the caller replaces. `required`: the skill can no longer be used, so the edit is mandatory. */
const contextEditSchema = z.object({ id: z.string(), required: z.boolean() });

/** The history edits requested from a caller when a turn begins. */
export const historyAskSchema = z.object({
  edits: z.array(contextEditSchema),
  append: z.object({ id: z.string(), names: z.array(z.string()) }).nullable(),
});

/** What is known of a turn's first model request, and of the last one of the previous turn. */
const turnLedgerSchema = z.lazy(() =>
  z.object({
    /** Milliseconds since the epoch. */
    at: z.number(),
    /** Whether the provider no longer caches the conversation. */
    cold: z.boolean(),
    price: ledgerPriceSchema,
    /** Tokens that precede the messages with or without loaded skills, and tokens of the gateway's tools and list. */
    shared: z.number(),
    own: z.number(),
    /** As reported by the caller; `null`: not reported. */
    history_tokens: z.number().nullable(),
    usage: usageSchema.nullable(),
    /** Model steps of the previous turn without an event. */
    steps: z.number(),
  }),
);

/** A model step by the time of its calls. `alone`: it only finds, loads and unloads skills. */
const stepSchema = z.lazy(() => z.object({ at: z.number(), alone: z.boolean() }));

/** A finished tool call, for the trace of its turn. */
const finishedCallSchema = z.lazy(() =>
  z.object({
    name: z.string(),
    /** The skill whose tool it is, or that it concerns; absent: neither. */
    skill: z.string().optional(),
    /** Start in milliseconds since the epoch, and duration in milliseconds. */
    at: z.number(),
    ms: z.number(),
    /** Absent: it succeeded. */
    ended: z.enum(["failed", "cancelled"]).optional(),
    /** The beginning of the text of a failed call. */
    error: z.string().optional(),
  }),
);

/** The prediction for a user's message. It does not contain the message. */
export const predictionSchema = z.lazy(() =>
  z.object({
    /** Id of the stored agent; `null`: none. */
    agent: z.string().nullable(),
    /** `null`: no skill is likely enough, or the model can already read it. */
    skill: z
      .object({
        name: z.string(),
        skill_id: z.string(),
        version_id: z.string(),
        probability: z.number(),
        /** What it costs if it is wrong and saves if it is right, in tokens at the price of an ordinary input token. */
        cost: z.number(),
        saved: z.number(),
        /** Whether its instructions were appended, so that it is active as if it were loaded. */
        appended: z.boolean(),
      })
      .nullable(),
  }),
);

/** `skills` contains a reference to every skill active in the turn, at its version in this turn. */
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
     * Under `auto`: the messages that the caller reports as present (`null`: not reported), those it is asked to replace, and the
     * instructions it is asked to append. Absent in logs of earlier gateways.
     */
    history: historyAskSchema.extend({ have: z.array(z.string()).nullable() }).optional(),
    /** Absent in logs of earlier gateways. */
    ledger: turnLedgerSchema.optional(),
    /** The calls of the previous turn. Absent if it had none, and in logs of earlier gateways. */
    previous_calls: z.array(finishedCallSchema).optional(),
    /** Number of the stored list of skills that the model was shown. Absent if it was shown none, and in logs of earlier gateways. */
    list: z.number().optional(),
    /** Absent if the turn has no message, or nothing is predicted, and in logs of earlier gateways. */
    prediction: predictionSchema.optional(),
  }),
);

/**
 * `skills` ends with the loaded skill; its dependencies come first. `delivered`: skills whose instructions are in the result (under `auto`,
 * of `call`). `used`: the skill was not loaded; one of its tools was called while its instructions were still in the history. `retold`: the
 * instructions were only sent again, and the retention is unchanged.
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

/** The caller reported the usage of the request before a model step. */
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
 * Replaces all activations and sets the turn. `loads`: the turn of the history in which each skill was last loaded. `delivered`: skills
 * whose instructions are in the history. Earlier gateways did not record it, so none count, which costs only tokens.
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
    /** Under `auto`: the calls whose results contain them. */
    calls: z.array(z.object({ id: z.string(), names: z.array(z.string()) })).optional(),
    /** Under `auto`: ids of known messages that the history still contains. */
    kept: z.array(z.string()).optional(),
  }),
);

export const eventSchema = z.lazy(() =>
  z.discriminatedUnion("type", [turnEvent, loadedEvent, touchedEvent, stepEvent, unloadedEvent, restoredEvent]),
);

export type Prediction = z.infer<typeof predictionSchema>;
export type ContextEdit = z.infer<typeof contextEditSchema>;
export type TurnLedger = z.infer<typeof turnLedgerSchema>;
export type FinishedCall = z.infer<typeof finishedCallSchema>;
export type ModelStep = z.infer<typeof stepSchema>;
export type HistoryAsk = z.infer<typeof historyAskSchema>;
export type Delivery = z.infer<typeof deliverySchema>;
export type Policy = z.infer<typeof policySchema>;
export type ConversationEvent = z.infer<typeof eventSchema>;
