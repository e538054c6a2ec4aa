// Counts a conversation's use of skills until it is added to the shared counts. Counts contain no users.

import * as z from "zod";
import { dayOf } from "../access/quota";
import { DURATIONS } from "../durations";
import { CONVERSATION_LIMITS } from "../limits";
import { activeSkills, type ConversationState } from "./activation";
import type { ConversationEvent } from "./event";
import {
  NO_PREDICTIONS,
  type PredictionCount,
  type PredictionSums,
  predictionCountSchema,
  sumOfPredictions,
} from "./prediction/counts";

const countSchema = z.lazy(() =>
  z.object({
    day: z.number(),
    skill_id: z.string(),
    version_id: z.string(),
    /** Number of loads by name and new selections by the user. Preloads do not count. */
    loads: z.number(),
    /** Calls of its tools and scripts, and those of them that failed. */
    calls: z.number(),
    failures: z.number(),
    /** Tokens of its instructions each time they were sent, also as a dependency. */
    tokens: z.number(),
    /** Votes of its loads for the shared order: one per conversation, skill and day. */
    votes: z.number(),
  }),
);

export const usesSchema = z.lazy(() =>
  z.object({
    /** Time of the next batch, in milliseconds since the epoch; `null`: nothing to send. */
    due: z.number().nullable(),
    counts: z.array(countSchema),
    /** Predictions by agent and day. Absent in counts of earlier gateways. */
    predictions: z.array(predictionCountSchema).default([]),
    /** A batch that was sent and may have arrived. It is sent again unchanged, so that its id identifies it. */
    sent: z
      .object({
        id: z.string(),
        at: z.number(),
        counts: z.array(countSchema),
        predictions: z.array(predictionCountSchema).default([]),
      })
      .nullable(),
    /** Skills for which this conversation has voted on a day. */
    voted: z.object({ day: z.number(), skills: z.array(z.string()) }),
  }),
);

export type UseCount = z.infer<typeof countSchema>;
/** Counts not confirmed as received. */
export type Uses = z.infer<typeof usesSchema>;
export type UseBatch = NonNullable<Uses["sent"]>;

/** One use of a version of a skill. */
export interface SkillUse {
  skill_id: string;
  version_id: string;
  loads?: number;
  calls?: number;
  failures?: number;
  tokens?: number;
}

export const NO_USES: Uses = { due: null, counts: [], predictions: [], sent: null, voted: { day: 0, skills: [] } };

/** Returns the uses that an event implies, given the state before it. */
export function usesIn(state: ConversationState, event: ConversationEvent): SkillUse[] {
  if (event.type !== "loaded" && event.type !== "turn") return [];
  const active = new Set(activeSkills(state).map(({ skill }) => skill.version_id));
  if (event.type === "turn") {
    const chosen = event.skills.filter(
      ({ name, version_id }) => event.selected.includes(name) && !active.has(version_id),
    );
    const loaded = chosen.map(({ skill_id, version_id, tokens }) => ({ skill_id, version_id, loads: 1, tokens }));
    return [...loaded, ...predictedUse(event, active)];
  }
  // A tool call reactivated it; this is not a load.
  if (event.used === true) return [];
  return event.skills.flatMap(({ name, skill_id, version_id, tokens }) => {
    const shownTokens = event.delivered.includes(name) || !active.has(version_id) ? tokens : 0;
    const loads = name === event.name ? 1 : 0;
    return loads + shownTokens === 0 ? [] : [{ skill_id, version_id, loads, tokens: shownTokens }];
  });
}

/** Returns the tokens of a predicted skill that was appended. The model did not load it, so it is no vote for the shared order. */
function predictedUse(
  { prediction, skills }: Extract<ConversationEvent, { type: "turn" }>,
  active: ReadonlySet<string>,
): SkillUse[] {
  if (prediction?.skill?.appended !== true) return [];
  const { version_id: appended } = prediction.skill;
  return skills
    .filter(({ version_id }) => version_id === appended && !active.has(version_id))
    .map(({ skill_id, version_id, tokens }) => ({ skill_id, version_id, tokens }));
}

/** Adds counts of predictions. */
export function addPrediction(uses: Uses, { agent, sums }: { agent: string; sums: PredictionSums }, now: number): Uses {
  const day = dayOf(now);
  const isSame = (count: PredictionCount) => count.day === day && count.agent === agent;
  const before = uses.predictions.find(isSame);
  if (before === undefined && uses.predictions.length >= CONVERSATION_LIMITS.countedAgents) return uses;
  const next = { day, agent, ...sumOfPredictions(before ?? NO_PREDICTIONS, sums) };
  return {
    ...uses,
    due: uses.due ?? now + DURATIONS.useKept,
    predictions: [...uses.predictions.filter((count) => !isSame(count)), next],
  };
}

/** Adds one use. The first one determines when the batch is due. */
export function addUse(uses: Uses, use: SkillUse, now: number): Uses {
  const day = dayOf(now);
  const { skill_id, version_id, loads = 0, calls = 0, failures = 0, tokens = 0 } = use;
  const same = (count: UseCount) => count.day === day && count.version_id === version_id;
  const before = uses.counts.find(same);
  if (before === undefined && uses.counts.length >= CONVERSATION_LIMITS.activeSkills) return uses;
  const voted = uses.voted.day === day ? uses.voted.skills : [];
  const votes = loads > 0 && !voted.includes(skill_id) ? 1 : 0;
  const { loads: l, calls: c, failures: f, tokens: t, votes: v } = before ?? NOTHING;
  const sum = { loads: l + loads, calls: c + calls, failures: f + failures, tokens: t + tokens, votes: v + votes };
  return {
    ...uses,
    due: uses.due ?? now + DURATIONS.useKept,
    counts: [...uses.counts.filter((count) => !same(count)), { day, skill_id, version_id, ...sum }],
    voted: { day, skills: votes === 0 ? voted : [...voted, skill_id] },
  };
}

const NOTHING = { loads: 0, calls: 0, failures: 0, tokens: 0, votes: 0 };

/**
 * Returns the batch to send now, closed under an id. If its arrival is not confirmed, it is due again later. After days its id is no longer
 * known, and it is dropped, because missing counts are better than double counts.
 */
export function closed(uses: Uses, now: number, id: string): Uses {
  const { sent, counts, predictions } = uses;
  const due = now + DURATIONS.useKept;
  if (sent !== null && sent.at > now - DURATIONS.useSent) return { ...uses, due };
  const isEmpty = counts.length + predictions.length === 0;
  return { ...uses, due, counts: [], predictions: [], sent: isEmpty ? null : { id, at: now, counts, predictions } };
}

/** Removes a batch after its arrival. Counts since then are sent an hour later. */
export function arrived(uses: Uses): Uses {
  return { ...uses, sent: null, due: uses.counts.length + uses.predictions.length === 0 ? null : uses.due };
}
