// What an MCP host is asked in the name of a call that it made. Only memory: a host asks again for what was lost, or its call is over.

import type { JsonObject } from "../domain/json";
import type { ClientCapabilities } from "../domain/servers/memory";
import type { ServerQuestion } from "../domain/servers/round";
import type { HostLink, QuestionOutcome } from "../upstream/server-questions";

/** A question under an id that nobody can guess. */
export interface HostQuestion extends ServerQuestion {
  id: string;
}

/** Everything that a host is asked and has not answered, and in which round of its call: an answer holds for that one. */
export interface HostRound {
  round: number;
  questions: HostQuestion[];
}

/** What a host answers in one round of its call, by the keys it was asked under. */
export interface HostAnswers {
  round: number;
  given: Record<string, JsonObject>;
}

/** The questions of one call. */
export class HostQuestions implements HostLink {
  readonly abilities: ClientCapabilities;
  /** Hears everything that waits, whenever something new does. */
  tell: (asked: HostRound) => void;
  readonly #waiting = new Map<string, { question: HostQuestion; settle: (response: QuestionOutcome) => void }>();
  /** What came with the request that goes on with a call, by the server's own keys. */
  readonly #given: Map<string, QuestionOutcome>;
  #round: number;
  #isTelling = false;

  /** @param round where the call stands: what is given holds for the questions of this one */
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

  /** Everything that waits for an answer. */
  waiting(): HostQuestion[] {
    return [...this.#waiting.values()].map(({ question }) => question);
  }

  /** Takes an answer; `false` where nothing waits under this id. */
  answer(id: string, response: QuestionOutcome): boolean {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    waiting?.settle(response);
    return waiting !== undefined;
  }

  /** Answers come, and from now on another one hears of questions: first of those that still wait. */
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

  /** All that is asked in one go is told in one go. */
  #tellSoon(): void {
    if (this.#isTelling) return;
    this.#isTelling = true;
    setTimeout(() => {
      this.#isTelling = false;
      if (this.#waiting.size > 0) this.tell({ round: this.#round, questions: this.waiting() });
    }, 0);
  }
}
