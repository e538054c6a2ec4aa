// What a host asks for and its server may ask something about. It is made once, however often its host comes back, and whoever comes back
// with answers must ask for the same again.

import type * as z from "zod";
import { invalid } from "../../domain/errors";
import type { HostQuestions } from "../host-questions";
import type { Session } from "../session";
import type { RunningCallState } from "../session-memory";
import { type HostQuestionContext, hostQuestionsOf } from "./host-calls";

/** Who makes a call, and how its host is asked. */
export interface CallOwner {
  session: Session;
  /** What runs is called off here, by id. */
  running: Map<string, AbortController>;
  /** How the MCP host that made the call is asked, where it can be. */
  asks?: HostQuestionContext | null;
  /** The call was made before and asked its host something: it is not made anew. */
  goesOn?: boolean;
}

/** What a call that is made gets. */
export interface RunningCall {
  host: HostQuestions | null;
  /** Aborted when the call is cancelled, or whoever asked for it is gone. */
  signal: AbortSignal;
}

/**
 * Makes a call, or waits for the one of this id that runs already, whose answer is read by `schema`.
 *
 * @param call its id, and a digest of all that is asked, under which alone it is found again
 * @throws GatewayError `INVALID_REQUEST_STATE` where it is to go on and does not wait
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

const NOTHING_WAITS = {
  code: "INVALID_REQUEST_STATE",
  message: "No call of this conversation waits for these answers. Make it anew, without a requestState.",
  path: "requestState",
};
