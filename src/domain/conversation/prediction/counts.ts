// Counts the predictions of an agent by day, without users, messages or skills.

import * as z from "zod";
import type { ConversationState } from "../activation";
import type { ConversationEvent } from "../event";

const NUMBERS = {
  /** Turns with a message, and those of them with a prediction. */
  messages: z.number(),
  predicted: z.number(),
  /** Predictions whose instructions were appended. They are not compared: the model need not load the skill. */
  appended: z.number(),
  /** Turns without an appended skill in which the model loaded any skill, and those in which it loaded the predicted one. */
  needed: z.number(),
  hits: z.number(),
  /**
   * What the compared predictions would have saved and lost, in tokens at the price of an ordinary input token, and the milliseconds until
   * the model had loaded the skill.
   */
  saved: z.number(),
  lost: z.number(),
  saved_ms: z.number(),
};

export const predictionCountSchema = z.lazy(() => z.object({ day: z.number(), agent: z.string(), ...NUMBERS }));
export type PredictionCount = z.infer<typeof predictionCountSchema>;
export type PredictionSums = Omit<PredictionCount, "day" | "agent">;

export const NO_PREDICTIONS: PredictionSums = {
  messages: 0,
  predicted: 0,
  appended: 0,
  needed: 0,
  hits: 0,
  saved: 0,
  lost: 0,
  saved_ms: 0,
};

/** Returns what an event adds to the counts of an agent, given the state before it; `null`: nothing. */
export function predictionIn(
  state: ConversationState,
  event: ConversationEvent,
): { agent: string; sums: PredictionSums } | null {
  if (event.type === "turn") {
    const { agent, skill } = event.prediction ?? { agent: null, skill: null };
    if (agent === null) return null;
    const isCompared = skill !== null && !skill.appended;
    const predicted = skill === null ? 0 : 1;
    // A prediction counts as wrong until the model loads the skill.
    const sums = { messages: 1, predicted, appended: isCompared ? 0 : predicted, lost: isCompared ? skill.cost : 0 };
    return { agent, sums: { ...NO_PREDICTIONS, ...sums } };
  }
  const { prediction } = state;
  if (event.type !== "loaded" || event.used === true || event.retold === true || prediction === null) return null;
  const { agent, skill, loaded, at } = prediction;
  if (agent === null || skill?.appended === true) return null;
  const isHit = skill?.name === event.name && !loaded.includes(event.name);
  const needed = loaded.length === 0 ? 1 : 0;
  if (!isHit) return needed === 0 ? null : { agent, sums: { ...NO_PREDICTIONS, needed } };
  const saved_ms = event.step === undefined || at === 0 ? 0 : Math.max(0, event.step.at - at);
  const sums = { ...NO_PREDICTIONS, needed, hits: 1, saved: skill.saved, lost: -skill.cost, saved_ms };
  return { agent, sums };
}

/** Returns the sum of two counts. */
export function sumOfPredictions(a: PredictionSums, b: PredictionSums): PredictionSums {
  return {
    messages: a.messages + b.messages,
    predicted: a.predicted + b.predicted,
    appended: a.appended + b.appended,
    needed: a.needed + b.needed,
    hits: a.hits + b.hits,
    saved: a.saved + b.saved,
    lost: a.lost + b.lost,
    saved_ms: a.saved_ms + b.saved_ms,
  };
}
