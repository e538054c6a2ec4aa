// The calls of a conversation whose MCP host is asked something, found by the call or by the question.

import type { JsonObject } from "../../domain/json";
import type { Abilities } from "../../domain/servers/memory";
import type { Responded } from "../../upstream/inquiry";
import { type HostQuestion, HostQuestions } from "../host-questions";
import type { Session } from "../session";

/** Takes what a host answers; `false` where nobody waits for it. */
export function answerHost({ memory }: Session, question: string, response: Responded): boolean {
  return [...memory.held.values()].some(({ host }) => host?.answer(question, response) === true);
}

/** What a host that calls can be asked, what it answers, by the server's keys, and who tells it. `answers` is absent where a call begins. */
export interface HostAsking {
  abilities: Abilities;
  answers: Record<string, JsonObject> | undefined;
  tell: (questions: HostQuestion[]) => void;
}

/** The questions to the host of a call: those of the same call before it, or, where they are lost, with the answers to what is asked again. */
export function hostQuestionsOf(
  { abilities, answers = {}, tell }: HostAsking,
  before: HostQuestions | null,
): HostQuestions {
  const given = new Map(Object.entries(answers).map(([key, result]): [string, Responded] => [key, { result }]));
  if (before === null) return new HostQuestions(abilities, given, tell);
  before.goOn(given, tell);
  return before;
}
