// Asking the browser. A question is a row before a page hears of it, and it ends exactly once. Back ends ask here over HTTP, tools
// over their browser link.

import { DURATIONS } from "../../domain/durations";
import { GatewayError } from "../../domain/errors";
import { type JsonValue, utf8Bytes } from "../../domain/json";
import type { Count } from "../../domain/metrics/families";
import type { ServerFrame } from "../../domain/questions/frame";
import { PAYLOAD_TOO_LARGE, QUESTION_LIMITS } from "../../domain/questions/limits";
import {
  type Answer,
  asked,
  type BrowserQuestion,
  type Ending,
  end,
  isDue,
  lateAnswerStatus,
  outcomeOf,
  type Question,
  questionIdAt,
  type ServerAction,
} from "../../domain/questions/question";
import { schemaProblems } from "../../domain/tools/arguments";
import { NO_PAGE_ANSWER } from "../../sandbox/browser-link";
import type { QuestionStore } from "../../storage/object/questions";
import type { Session } from "../session";
import { type Waiters, waitFor, wake } from "./waiters";

/** The pages that are connected and said hello. */
export interface Clients {
  count(): number;
  /** Whether one of them has said that it answers such a question of a server. */
  answers(action: ServerAction): boolean;
  /** Sends to all of them but one. */
  notifyPages(frame: ServerFrame, except?: string | null): void;
}

export type QuestionFrame = Extract<ServerFrame, { type: "skill:request" }>;

/** What asking takes. It lives as long as the object is in memory; everything that must last is in `questions`. */
export interface Asking {
  readonly questions: QuestionStore;
  readonly waiters: Waiters;
  readonly clients: Clients;
  now(): number;
  /** Counts for operators, where somebody does. */
  count?: Count;
  /** Sets the alarm to what is due next. */
  rearm(): void;
}

/** Asks, unless a question with this id is there already: then that one is meant. */
export function ask(asking: Asking, id: string, question: Question, requireClient = false): BrowserQuestion {
  const known = readQuestion(asking, id);
  if (known !== null) return known;
  const bytes = utf8Bytes(JSON.stringify(question.payload));
  if (bytes > QUESTION_LIMITS.payloadBytes) {
    throw new GatewayError("too_large", "PAYLOAD_TOO_LARGE", PAYLOAD_TOO_LARGE);
  }
  const { questions, clients } = asking;
  const connected = clients.count() > 0;
  if (requireClient && !connected) {
    throw new GatewayError("conflict", "NO_CLIENT", "No page is connected to this conversation.");
  }
  if (questions.pendingCount() >= QUESTION_LIMITS.pending) {
    const message = `More than ${QUESTION_LIMITS.pending} requests of this conversation wait for an answer.`;
    throw new GatewayError("rate_limited", "TOO_MANY_REQUESTS", message);
  }
  const waiting = questions.pendingBytes();
  if (waiting + bytes > QUESTION_LIMITS.pendingBytes) {
    const limit = QUESTION_LIMITS.pendingBytes;
    const message = "The requests of this conversation that wait for an answer may have payloads of 1 MiB together.";
    throw new GatewayError("rate_limited", "TOO_MUCH_PENDING", message, { limit, used: waiting });
  }
  const now = asking.now();
  questions.dropEndedBefore(now - DURATIONS.requestKept);
  const request = asked(id, questions.seq() + 1, question, now, connected ? 1 : 0);
  questions.insert(request);
  asking.count?.("questions_asked", []);
  asking.rearm();
  if (connected) clients.notifyPages(frameOf(request));
  return request;
}

/** The question, ended if its time is over; `null` when there is none. */
export function readQuestion(asking: Asking, id: string): BrowserQuestion | null {
  const request = asking.questions.get(id);
  if (request === null || !isDue(request, asking.now())) return request;
  finish(asking, request, { state: "expired" });
  return asking.questions.get(id);
}

/** The question once it has ended, or as it stands after `milliseconds`. */
export async function waitForEnd(asking: Asking, id: string, milliseconds: number): Promise<BrowserQuestion> {
  const until = asking.now() + milliseconds;
  for (;;) {
    const request = readQuestion(asking, id);
    if (request === null) throw questionNotFound();
    const left = Math.min(until, request.deadline) - asking.now();
    if (request.state !== "pending" || left <= 0) return request;
    await waitFor(asking.waiters, id, left);
  }
}

/** Takes an answer. The first one wins; `from` is the socket it came by, which needs no notice of its own answer. */
export function respond(
  asking: Asking,
  id: string,
  answer: Answer,
  by: string,
  from: string | null,
): "accepted" | "already_resolved" | "expired" | "unknown_request" | "invalid_answer" {
  const request = readQuestion(asking, id);
  if (request === null) return "unknown_request";
  // It waits on: another page, or the same one, may answer better.
  if (request.state === "pending" && answerProblems(request, answer).length > 0) return "invalid_answer";
  return finish(asking, request, { state: "resolved", answer, by }, from) ? "accepted" : lateAnswerStatus(request);
}

/** What does not fit in an answer. A failure is one in whatever words. */
export function answerProblems({ answer_schema }: BrowserQuestion, { success, result }: Answer): string[] {
  return success && answer_schema !== undefined ? schemaProblems(answer_schema, result ?? null) : [];
}

/** Cancels a pending question. One that was cancelled before is as it should be; one that ended otherwise is refused. */
export function cancel(asking: Asking, id: string, reason: string): null {
  const request = readQuestion(asking, id);
  if (request === null) throw questionNotFound();
  if (finish(asking, request, { state: "cancelled", reason }) || request.state === "cancelled") return null;
  throw questionEnded(lateAnswerStatus(request));
}

/** Ends what nobody answered in time. */
export function expireDue(asking: Asking): void {
  for (const request of asking.questions.due(asking.now())) finish(asking, request, { state: "expired" });
}

/** Everything pending, to be sent (again) to a page that has come. Counts the attempt before anything is sent. */
export function pendingFrames(asking: Asking): QuestionFrame[] {
  expireDue(asking);
  asking.questions.countSending();
  return asking.questions.pending().map(frameOf);
}

/** Tells the pages something that wants no answer and is not kept. */
export function notifyPages(asking: Asking, skill: string | null, action: string, payload: JsonValue): void {
  asking.clients.notifyPages({
    type: "skill:event",
    seq: asking.questions.nextSeq(),
    skill_name: skill,
    action,
    payload,
  });
}

/**
 * How a tool's code asks: waits to the end. Ids come of the call and of the order of its questions, so the same call made again,
 * after a restart say, finds its questions and their answers. Cancelling the call cancels what it waits for.
 */
export function askerOf(asking: Asking, session: Session, callId: string, signal: AbortSignal) {
  const { turn } = session.state;
  const pass = session.store.passes();
  let next = 0;
  return async (question: Question, requireClient = false): Promise<Answer> => {
    const ordinal = next++;
    const site = { userId: session.userId, conversation: session.id, turn, pass, callId, ordinal };
    const id = await questionIdAt(site);
    signal.throwIfAborted();
    // A call that is made again waits for what it asked before, whoever is there now.
    if (requireClient && asking.clients.count() === 0 && readQuestion(asking, id) === null) return NO_PAGE_ANSWER;
    ask(asking, id, question);
    const stop = () => {
      if (readQuestion(asking, id)?.state === "pending") cancel(asking, id, "call_cancelled");
    };
    signal.addEventListener("abort", stop, { once: true });
    try {
      const ended = await waitForEnd(asking, id, question.timeout_ms);
      return outcomeOf(ended) ?? { success: false, error: "The page has not answered yet." };
    } finally {
      signal.removeEventListener("abort", stop);
    }
  };
}

export function questionNotFound(): GatewayError {
  return new GatewayError("not_found", "REQUEST_NOT_FOUND", "The conversation has no such request.");
}

/** The refusal for what comes after a question's end. */
export function questionEnded(verdict: "already_resolved" | "expired"): GatewayError {
  return verdict === "expired"
    ? new GatewayError("conflict", "EXPIRED", "The request's deadline has passed.")
    : new GatewayError("conflict", "ALREADY_RESOLVED", "The request has its answer, or was cancelled.");
}

/** Ends a question: the row first, then the pages and those who wait. `false` when it may not end so. */
function finish(asking: Asking, request: BrowserQuestion, ending: Ending, from: string | null = null): boolean {
  const ended = end(request, ending, asking.now());
  if (ended === null || !asking.questions.finish(ended)) return false;
  asking.count?.("questions_ended", [ending.state]);
  const reason = ending.state === "cancelled" ? ending.reason : ending.state;
  asking.clients.notifyPages({ type: "skill:cancelled", request_id: ended.id, reason }, from);
  wake(asking.waiters, ended.id);
  return true;
}

function frameOf(request: BrowserQuestion): QuestionFrame {
  const { seq, id, skill_name, action, payload, from, deadline, attempt } = request;
  const at = new Date(deadline).toISOString();
  const asker = from === undefined ? {} : { from };
  return { type: "skill:request", seq, request_id: id, skill_name, action, payload, ...asker, deadline: at, attempt };
}
