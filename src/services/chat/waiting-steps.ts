// Runs the calls of a model step, and returns early with links if the calls wait until the user has signed in to their servers.

import { CHAT_LIMITS } from "../../domain/chat/limits";
import type { JsonObject } from "../../domain/json";
import { renderResults } from "../../domain/tools/formats";
import type { Context } from "../context";
import type { RunningCalls } from "../conversation/running";
import type { Session } from "../session";
import { SignInDeferred, type SignInLink } from "../sign-in-waits";
import { asOne, type CallsOfStep, idsOf, runStepCalls, type StepDone } from "./calls";

/** The results of a step, or the links that its remaining calls wait for. */
export type StepOutcome = { done: StepDone } | { waiting: SignInLink[] };

/** A step whose calls can wait. */
class WaitingStep {
  /** Rejects with `SignInDeferred` if the waiting ends without results. */
  readonly work: Promise<StepDone>;
  readonly #step: CallsOfStep;
  readonly #open: Set<string>;
  readonly #links = new Map<string, SignInLink>();
  readonly #end = Promise.withResolvers<void>();
  #changed = Promise.withResolvers<void>();
  readonly #answered: Parameters<typeof renderResults>[0][number][] = [];
  #expiry: ReturnType<typeof setTimeout> | null = null;

  constructor(context: Context, session: Session, running: RunningCalls, step: CallsOfStep) {
    this.#step = step;
    this.#open = new Set(idsOf(step.calls));
    this.#end.promise.catch(() => undefined);
    this.work = runStepCalls(context, session, running, step, {
      onResult: (answered) => {
        this.#answered.push(answered);
        this.#open.delete(answered.call.id);
        this.#change();
      },
      onSignIn: ({ id }, link) => {
        this.#links.set(id, link);
        this.#change();
      },
      onGoOn: ({ id }) => {
        this.#links.delete(id);
        this.#change();
      },
      signInEnded: this.#end.promise,
    });
    this.work.catch(() => undefined).finally(() => this.#keepFor(null));
  }

  /** Waits for the results, at most this number of milliseconds while every remaining call waits for a sign-in. */
  async outcome(patience: number): Promise<StepOutcome> {
    this.#keepFor(null);
    const work = this.work.then((done): StepOutcome => ({ done }), asWaiting);
    for (;;) {
      const changed = this.#changed.promise.then(() => null);
      const open = [...this.#open];
      const isWaiting = open.length > 0 && open.every((id) => this.#links.has(id));
      const links = open.flatMap((id) => this.#links.get(id) ?? []);
      const over = Promise.withResolvers<StepOutcome>();
      const timer = isWaiting ? setTimeout(() => over.resolve({ waiting: links }), patience) : null;
      const outcome = await Promise.race([work, changed, over.promise]).finally(() => {
        if (timer !== null) clearTimeout(timer);
      });
      if (outcome === null) continue;
      // The Worker returns, unless it is gone.
      if ("waiting" in outcome) this.#keepFor(CHAT_LIMITS.leaseMs);
      return outcome;
    }
  }

  /** Ends the waiting. The calls have no results and can be repeated. */
  defer(): void {
    this.#end.reject(new SignInDeferred());
  }

  /** Returns the results so far. */
  results(): JsonObject[] {
    const { format } = this.#step;
    return asOne(renderResults(this.#answered, format), format);
  }

  #change(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  /** Ends the waiting after this time; `null`: not at all. */
  #keepFor(ms: number | null): void {
    if (this.#expiry !== null) clearTimeout(this.#expiry);
    this.#expiry = ms === null ? null : setTimeout(() => this.defer(), ms);
  }
}

function asWaiting(error: unknown): StepOutcome {
  if (error instanceof SignInDeferred) return { waiting: [] };
  throw error;
}

const steps = new WeakMap<Session, Map<string, WaitingStep>>();

function stepsOf(session: Session): Map<string, WaitingStep> {
  const known = steps.get(session) ?? new Map<string, WaitingStep>();
  steps.set(session, known);
  return known;
}

/**
 * Runs the calls of a step, or waits again for a step that waits.
 *
 * @param patience how long to wait for sign-ins, in milliseconds; `null`: calls that need one fail with a link
 */
export async function runWaitingStep(
  context: Context,
  session: Session,
  running: RunningCalls,
  exchange: string,
  step: CallsOfStep,
  patience: number | null,
): Promise<StepOutcome> {
  if (patience === null || !isIdentified(step.calls))
    return { done: await runStepCalls(context, session, running, step) };
  const known = stepsOf(session);
  const waiting = known.get(exchange) ?? new WaitingStep(context, session, running, step);
  known.set(exchange, waiting);
  const drop = () => {
    if (known.get(exchange) === waiting) known.delete(exchange);
  };
  waiting.work.then(drop, drop);
  return waiting.outcome(patience);
}

/** Ends the waiting of a step, if it waits. Returns the results of its calls that have ended. */
export function deferStep(session: Session, exchange: string): JsonObject[] {
  const waiting = stepsOf(session).get(exchange);
  stepsOf(session).delete(exchange);
  waiting?.defer();
  return waiting?.results() ?? [];
}

/** Whether each call has an id of its own, by which its result is found. */
function isIdentified(calls: readonly JsonObject[]): boolean {
  const ids = idsOf(calls);
  return ids.length === calls.length && new Set(ids).size === ids.length && ids.length <= CHAT_LIMITS.callsPerStep;
}
