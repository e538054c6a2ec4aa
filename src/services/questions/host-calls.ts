// The calls of a conversation whose MCP host is asked something, found by the call or by the question.

import type { ClientCapabilities } from "../../domain/servers/memory";
import type { Round } from "../../domain/servers/round";
import type { QuestionOutcome } from "../../upstream/server-questions";
import { type HostAnswers, HostQuestions, type HostRound } from "../host-questions";
import type { Session } from "../session";

/** Takes what a host answers; `false` where nobody waits for it. */
export function answerHost({ memory }: Session, question: string, response: QuestionOutcome): boolean {
  return [...memory.held.values()].some(({ host }) => host?.answer(question, response) === true);
}

/** What a host that calls can be asked, what it answers, and who tells it. `answers` is absent where a call begins. */
export interface HostQuestionContext {
  abilities: ClientCapabilities;
  answers: HostAnswers | undefined;
  tell: (asked: HostRound) => void;
}

/**
 * The questions to the host of a call: those of the same call before it, or, where they are lost, with the answers to what is asked
 * again. What a host answers to another round than the one that waits is dropped: a server may use its keys again.
 *
 * @param standing where the call stands by its row
 */
export function hostQuestionsOf(
  { abilities, answers, tell }: HostQuestionContext,
  before: HostQuestions | null,
  standing: Round | null,
): HostQuestions {
  const round = before?.round ?? (standing?.era === "modern" ? standing.count : 0);
  const timely = answers?.round === round ? Object.entries(answers.given) : [];
  const given = new Map(timely.map(([key, result]): [string, QuestionOutcome] => [key, { result }]));
  if (before === null) return new HostQuestions(abilities, round, given, tell);
  before.goOn(given, tell);
  return before;
}
