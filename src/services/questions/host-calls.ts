// Finds running calls that asked their MCP host something, by call or by question.

import type { ClientCapabilities } from "../../domain/servers/memory";
import type { Round } from "../../domain/servers/round";
import type { QuestionOutcome } from "../../upstream/server-questions";
import { type HostAnswers, HostQuestions, type HostRound } from "../host-questions";
import type { Session } from "../session";

/** Accepts a host's answer. Returns `false` if nothing waits for it. */
export function answerHost({ memory }: Session, question: string, response: QuestionOutcome): boolean {
  return [...memory.held.values()].some(({ host }) => host?.answer(question, response) === true);
}

/** What the calling host can be asked, its answers, and how it is notified. `answers` is absent in the first request of a call. */
export interface HostQuestionContext {
  abilities: ClientCapabilities;
  answers: HostAnswers | undefined;
  tell: (asked: HostRound) => void;
}

/**
 * Returns the questions to the host of a call: the existing ones, or, if they were lost, new ones with the given answers. Answers of
 * another round are dropped, because a server can reuse its keys.
 *
 * @param standing the stored round of the call
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
