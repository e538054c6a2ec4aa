// Questions to the MCP host of a call. In memory only: after a loss, the host asks again or its call has ended.

import type { JsonObject } from "../domain/json";
import type { ClientCapabilities } from "../domain/servers/memory";
import type { Round, ServerQuestion } from "../domain/servers/round";
import type { HostLink, QuestionOutcome } from "../upstream/server-questions";

/** A question with an unguessable id. */
export interface HostQuestion extends ServerQuestion {
  id: string;
}

/** All unanswered questions to a host, and their round. An answer is valid for its round only. */
export interface HostRound {
  round: number;
  questions: HostQuestion[];
}

/** A host's answers in one round of its call, by the keys of the questions. */
export interface HostAnswers {
  round: number;
  given: Record<string, JsonObject>;
}

/** The questions of one call. */
export class HostQuestions implements HostLink {
  readonly abilities: ClientCapabilities;
  /** Called with all waiting questions when there is a new one. */
  tell: (asked: HostRound) => void;
  readonly #waiting = new Map<string, { question: HostQuestion; settle: (response: QuestionOutcome) => void }>();
  /** Answers that came with the request that continues the call, by the server's own keys. */
  readonly #given: Map<string, QuestionOutcome>;
  #round: number;
  #isTelling = false;

  /** @param round the current round, which the given answers belong to */
  constructor(
    abilities: ClientCapabilities,
    round: number,
    given: ReadonlyMap<string, QuestionOutcome>,
    tell: HostQuestions["tell"],
  ) {
    this.abilities = abilities;
    this.#round = round;
    this.#given = new Map(given);
    this.tell = tell;
  }

  get round(): number {
    return this.#round;
  }

  begin(round: number): void {
    if (round !== this.#round) this.#given.clear();
    this.#round = round;
  }

  ask(questions: readonly ServerQuestion[]): Promise<QuestionOutcome[]> {
    return Promise.all(questions.map((question) => this.#ask(question)));
  }

  /** Returns all unanswered questions. */
  waiting(): HostQuestion[] {
    return [...this.#waiting.values()].map(({ question }) => question);
  }

  /** Accepts an answer. Returns `false` if no question waits under this id. */
  answer(id: string, response: QuestionOutcome): boolean {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    waiting?.settle(response);
    return waiting !== undefined;
  }

  /** Continues with answers. From now on `tell` receives questions, first those still waiting. */
  goOn(given: ReadonlyMap<string, QuestionOutcome>, tell: HostQuestions["tell"]): void {
    this.tell = tell;
    for (const { id, key } of this.waiting()) {
      const response = given.get(key);
      if (response !== undefined) this.answer(id, response);
    }
    if (this.#waiting.size > 0) this.#tellSoon();
  }

  #ask(question: ServerQuestion): Promise<QuestionOutcome> {
    const given = this.#given.get(question.key);
    this.#given.delete(question.key);
    if (given !== undefined) return Promise.resolve(given);
    const id = crypto.randomUUID();
    const { promise, resolve } = Promise.withResolvers<QuestionOutcome>();
    this.#waiting.set(id, { question: { ...question, id }, settle: resolve });
    this.#tellSoon();
    return promise;
  }

  /** Questions asked together are sent together. */
  #tellSoon(): void {
    if (this.#isTelling) return;
    this.#isTelling = true;
    setTimeout(() => {
      this.#isTelling = false;
      if (this.#waiting.size > 0) this.tell({ round: this.#round, questions: this.waiting() });
    }, 0);
  }
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
