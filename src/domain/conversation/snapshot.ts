// A conversation's state as JSON, so that a long log is not read from its beginning. Derived from the log.

import * as z from "zod";
import { skillRefSchema } from "../catalog/skill-ref";
import type { ConversationState } from "./activation";
import { carrierSchema } from "./carriers";
import { historyAskSchema, policySchema, predictionSchema } from "./event";
import { ledgerSchema } from "./ledger-schema";

/** Maximum number of events between two snapshots, which bounds the events read to compute any state. */
export const SNAPSHOT_EVERY = 256;

/** Increase when the computation of the state changes. Snapshots with another number are ignored. */
export const SNAPSHOT_SHAPE = 4;

const entries = <V>(value: z.ZodType<V>) => z.array(z.tuple([z.string(), value])).transform((all) => new Map(all));

const snapshotSchema = z.lazy(() =>
  z.object({
    turn: z.number(),
    policy: policySchema.nullable(),
    refs: entries(skillRefSchema),
    roots: entries(z.number()),
    preloaded: z.array(z.string()),
    selected: z.array(z.string()),
    /** Snapshots of earlier gateways have none. */
    predicted: z.array(z.string()).default([]),
    prediction: predictionSchema
      .unwrap()
      .extend({ at: z.number(), loaded: z.array(z.string()) })
      .nullable()
      .default(null),
    activated: entries(z.object({ order: z.number(), turn: z.number() })),
    touched: entries(z.number()),
    delivered: entries(z.string()),
    carriers: z.array(carrierSchema),
    asked: historyAskSchema,
    tokens: z.object({ static: z.number(), actual: z.number() }),
    ledger: ledgerSchema,
    events: z.number(),
  }),
);

export function freeze(state: ConversationState): string {
  return JSON.stringify(state, (_, value: unknown) => (value instanceof Map ? [...value] : value));
}

export function thaw(snapshot: string): ConversationState {
  return snapshotSchema.parse(JSON.parse(snapshot));
}
