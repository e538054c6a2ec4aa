// Reads from the events of a conversation by which skills and failures its owner can find it in the list.

import * as z from "zod";
import { CONVERSATION_LIMITS } from "../limits";
import type { ConversationEvent, FinishedCall } from "./event";

/** States by which conversations are found: with a failed tool call, with turns and without one, or without a turn. */
export const LIST_STATES = ["failed", "succeeded", "unused"] as const;
export type ListState = (typeof LIST_STATES)[number];

export const listFactsSchema = z.lazy(() =>
  z.object({
    /** Failed tool calls. */
    failures: z.number(),
    /** Names of the skills that were active, in the order in which they first were: at most `CONVERSATION_LIMITS.listedSkills`. */
    skills: z.array(z.string()),
  }),
);

export type ListFacts = z.infer<typeof listFactsSchema>;

export const NO_FACTS: ListFacts = { failures: 0, skills: [] };

/** Returns the facts after an event. The calls of a turn are in the event that begins the next one. */
export function factsAfter({ failures, skills }: ListFacts, event: ConversationEvent): ListFacts {
  const active = event.type === "turn" || event.type === "loaded" || event.type === "restored" ? event.skills : [];
  const failed = event.type === "turn" ? failedCalls(event.previous_calls ?? []) : 0;
  const names = [...new Set([...skills, ...active.map(({ name }) => name)])];
  return { failures: failures + failed, skills: names.slice(0, CONVERSATION_LIMITS.listedSkills) };
}

export const failedCalls = (calls: readonly FinishedCall[]): number =>
  calls.filter(({ ended }) => ended === "failed").length;
