// Runs a call that can ask its host something. It runs once, however often the host returns, and a host that returns with answers must
// repeat the same request.

import type * as z from "zod";
import { invalid } from "../../domain/errors";
import type { QuestionOutcome } from "../../upstream/server-questions";
import { type HostQuestionContext, type HostQuestions, hostQuestionsOf } from "../host-questions";
import type { Session } from "../session";
import type { RunningCallState } from "../session-memory";

/** Who makes a call, and how its host is asked. */
export interface CallOwner {
  session: Session;
  /** Abort controllers of running calls, by id. */
  running: Map<string, AbortController>;
  /** How the calling MCP host is asked, if possible. */
  asks?: HostQuestionContext | null;
  /** The call asked its host something before and is not started again. */
  goesOn?: boolean;
}

/** What a running call receives. */
export interface RunningCall {
  host: HostQuestions | null;
  /** Aborted when the call is cancelled or its caller is gone. */
  signal: AbortSignal;
}

/**
 * Runs a call, or waits for the running one with this id, whose result `schema` parses.
 *
 * @param call its id, and a digest of the request, which must match
 * @throws GatewayError `INVALID_REQUEST_STATE` if it should continue and is not waiting
 */
export async function runOnce<T extends object>(
  { session, running, asks = null, goesOn = false }: CallOwner,
  { id, request }: { id: string; request: string },
  schema: z.ZodType<T>,
  outer: AbortSignal | undefined,
  make: (place: RunningCall) => Promise<T>,
): Promise<T> {
  const { held } = session.memory;
  const same = held.get(id);
  const standing = session.store.rounds.get({ id, turn: session.state.turn, request });
  if (goesOn && standing === null) throw invalid([NOTHING_WAITS]);
  const before = same?.request === request ? same : null;
  const host = asks === null ? null : hostQuestionsOf(asks, before?.host ?? null, standing);
  // It waits for an answer: nothing is called a second time.
  if (standing !== null && before !== null) return schema.parse(await before.result);
  const cancel = new AbortController();
  const signal = outer === undefined ? cancel.signal : AbortSignal.any([cancel.signal, outer]);
  running.set(id, cancel);
  const result = make({ host, signal });
  const holding: RunningCallState = { request, result, host };
  held.set(id, holding);
  try {
    return await result;
  } finally {
    if (running.get(id) === cancel) running.delete(id);
    if (held.get(id) === holding) held.delete(id);
  }
}

/** Accepts a host's answer to a question of a running call. Returns `false` if nothing waits for it. */
export function answerHost({ memory }: Session, question: string, response: QuestionOutcome): boolean {
  return [...memory.held.values()].some(({ host }) => host?.answer(question, response) === true);
}

const NOTHING_WAITS = {
  code: "INVALID_REQUEST_STATE",
  message: "No call of this conversation waits for these answers. Repeat the call without `requestState`.",
  path: "requestState",
};
