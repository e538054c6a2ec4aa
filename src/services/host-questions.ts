// What an MCP host is asked in the name of a call that it made. Only memory: a host asks again for what was lost, or its call is over.

import type { Abilities } from "../domain/servers/memory";
import type { ServerQuestion } from "../domain/servers/round";
import type { HostLink, Responded } from "../upstream/inquiry";

/** A question under an id that nobody can guess. */
export interface HostQuestion extends ServerQuestion {
  id: string;
}

/** The questions of one call. */
export class HostQuestions implements HostLink {
  readonly abilities: Abilities;
  /** Hears everything that waits, whenever something new does. */
  tell: (questions: HostQuestion[]) => void;
  readonly #waiting = new Map<string, { question: HostQuestion; settle: (response: Responded) => void }>();
  /** What came with the request that goes on with a call, by the server's own keys. */
  readonly #given: Map<string, Responded>;
  #isTelling = false;

  constructor(abilities: Abilities, given: ReadonlyMap<string, Responded>, tell: (questions: HostQuestion[]) => void) {
    this.abilities = abilities;
    this.#given = new Map(given);
    this.tell = tell;
  }

  ask(questions: readonly ServerQuestion[]): Promise<Responded[]> {
    return Promise.all(questions.map((question) => this.#ask(question)));
  }

  /** Everything that waits for an answer. */
  waiting(): HostQuestion[] {
    return [...this.#waiting.values()].map(({ question }) => question);
  }

  /** Takes an answer; `false` where nothing waits under this id. */
  answer(id: string, response: Responded): boolean {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    waiting?.settle(response);
    return waiting !== undefined;
  }

  /** Answers come, and from now on another one hears of questions: first of those that still wait. */
  goOn(given: ReadonlyMap<string, Responded>, tell: (questions: HostQuestion[]) => void): void {
    this.tell = tell;
    for (const { id, key } of this.waiting()) {
      const response = given.get(key);
      if (response !== undefined) this.answer(id, response);
    }
    if (this.#waiting.size > 0) this.#tellSoon();
  }

  #ask(question: ServerQuestion): Promise<Responded> {
    const given = this.#given.get(question.key);
    this.#given.delete(question.key);
    if (given !== undefined) return Promise.resolve(given);
    const id = crypto.randomUUID();
    const { promise, resolve } = Promise.withResolvers<Responded>();
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
      if (this.#waiting.size > 0) this.tell(this.waiting());
    }, 0);
  }
}
