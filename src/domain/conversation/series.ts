// Computes figures turn by turn: the cost in each way that the ledger counts, and the active skills. A repeated turn appears again, because
// it was billed again.

import { activeSkills, apply, type ConversationState } from "./activation";
import type { ConversationEvent } from "./event";
import { ledgerSums } from "./ledger";
import type { LedgerTotals } from "./ledger-schema";
import { NO_USAGE, type Usage } from "./usage";

export interface LoggedEvent {
  seq: number;
  /** Milliseconds since the epoch. */
  at: number;
  event: ConversationEvent;
}

/** One pass over a turn, or a restored history. */
export interface TurnPoint {
  /** Sequence number of the event that began it. */
  seq: number;
  turn: number;
  at: number;
  restored: boolean;
  /** Skills that a model loaded in it, in order, and skills that were active at its end. */
  loaded: string[];
  active: string[];
  /** Its prompt tokens, counted like in the status. */
  tokens: { static: number; actual: number };
  billed: LedgerTotals;
  requests: number;
  /** Tokens of its last request in each way; `null` if unknown. */
  sent: LedgerTotals | null;
  /** Sum of the usage reported by providers; `null`: none reported. */
  usage: Omit<Usage, "long_write"> | null;
}

/** A started turn, with the ledger before its first request. */
interface Begun {
  point: TurnPoint;
  before: ReturnType<typeof ledgerSums>;
}

/**
 * Processes a log event by event. A turn is returned when its end is known, because the next turn's start contains the usage of its last
 * request.
 */
export class SeriesWalk {
  #state: ConversationState;
  #begun: Begun | null = null;

  /** @param state the state before the first processed event */
  constructor(state: ConversationState) {
    this.#state = state;
  }

  /** Returns the turn that ends if this event begins another one. */
  take({ seq, at, event }: LoggedEvent): TurnPoint | null {
    const { tokens } = this.#state;
    const ended = this.#begun;
    const active = namesOf(this.#state);
    if (ended !== null && event.type === "turn") report(ended.point, event.ledger?.usage ?? null);
    if (ended !== null && event.type === "step") report(ended.point, event.usage);
    if (ended !== null && event.type === "loaded" && event.used !== true) ended.point.loaded.push(event.name);
    const sent = ledgerSums(this.#state.ledger, "open").sent;
    this.#state = apply(this.#state, event);
    if (event.type !== "turn" && event.type !== "restored") return null;
    const before = ledgerSums(this.#state.ledger, "closed");
    this.#begun = {
      before,
      point: {
        ...{ seq, at, turn: event.turn, restored: event.type === "restored", loaded: [], active: [] },
        ...{ tokens, billed: before.billed, requests: 0, sent: null, usage: null },
      },
    };
    return ended === null ? null : finished(ended, { active, tokens, ...before, sent: before.sent ?? sent });
  }

  /** Returns the current turn, as far as the log contains it. */
  rest(): TurnPoint | null {
    const { tokens, ledger } = this.#state;
    if (this.#begun === null) return null;
    return finished(this.#begun, { active: namesOf(this.#state), tokens, ...ledgerSums(ledger, "open") });
  }
}

function finished(
  { point, before }: Begun,
  end: ReturnType<typeof ledgerSums> & Pick<TurnPoint, "active" | "tokens">,
): TurnPoint {
  const { actual, paste, append_only } = end.billed;
  return {
    ...point,
    active: end.active,
    tokens: { static: end.tokens.static - point.tokens.static, actual: end.tokens.actual - point.tokens.actual },
    billed: {
      actual: actual - before.billed.actual,
      paste: paste - before.billed.paste,
      append_only: append_only - before.billed.append_only,
    },
    requests: end.requests - before.requests,
    sent: end.requests === before.requests ? null : end.sent,
  };
}

function namesOf(state: ConversationState): string[] {
  return activeSkills(state).map(({ skill }) => skill.name);
}

function report(point: TurnPoint, usage: Usage | null): void {
  if (usage === null) return;
  const { fresh, cache_read, cache_write, output } = point.usage ?? NO_USAGE;
  point.usage = {
    fresh: fresh + usage.fresh,
    cache_read: cache_read + usage.cache_read,
    cache_write: cache_write + usage.cache_write,
    output: output + usage.output,
  };
}
