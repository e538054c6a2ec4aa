// Asks the browser. A question is stored before it is sent, and it ends exactly once. Back ends ask over HTTP, tools through their browser
// link.

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

/** The connected pages that sent `hello`. */
export interface Clients {
  count(): number;
  /** Whether a page has declared that it answers such questions of servers. */
  answers(action: ServerAction): boolean;
  /** Sends a frame to all pages except one. */
  notifyPages(frame: ServerFrame, except?: string | null): void;
}

export type QuestionFrame = Extract<ServerFrame, { type: "skill:request" }>;

/** What asking needs. Lives in memory; everything lasting is in `questions`. */
export interface Asking {
  readonly questions: QuestionStore;
  readonly waiters: Waiters;
  readonly clients: Clients;
  now(): number;
  /** Counts metrics, if enabled. */
  count?: Count;
  /** Sets the alarm to the next due time. */
  rearm(): void;
}

/** Asks a question, or returns the existing question with this id. */
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
    throw new GatewayError(
      "conflict",
      "NO_CLIENT",
      "No page is connected to this conversation. Open the conversation in a browser first.",
    );
  }
  if (questions.pendingCount() >= QUESTION_LIMITS.pending) {
    const message = `Too many pending requests in this conversation (limit ${QUESTION_LIMITS.pending}). Wait for answers, or cancel some.`;
    throw new GatewayError("rate_limited", "TOO_MANY_REQUESTS", message);
  }
  const waiting = questions.pendingBytes();
  if (waiting + bytes > QUESTION_LIMITS.pendingBytes) {
    const limit = QUESTION_LIMITS.pendingBytes;
    const message =
      "Pending requests of this conversation are too large (limit 1 MiB together). Wait for answers, or cancel some.";
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

/** Returns the question, expired if its deadline has passed; `null` if not found. */
export function readQuestion(asking: Asking, id: string): BrowserQuestion | null {
  const request = asking.questions.get(id);
  if (request === null || !isDue(request, asking.now())) return request;
  finish(asking, request, { state: "expired" });
  return asking.questions.get(id);
}

/** Returns the question when it has ended, or its state after `milliseconds`. */
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

/** Accepts an answer; the first one wins. `from` is the socket it came from, which receives no notice of it. */
export function respond(
  asking: Asking,
  id: string,
  answer: Answer,
  by: string,
  from: string | null,
): "accepted" | "already_resolved" | "expired" | "unknown_request" | "invalid_answer" {
  const request = readQuestion(asking, id);
  if (request === null) return "unknown_request";
  // The question stays open: a page can send a better answer.
  if (request.state === "pending" && answerProblems(request, answer).length > 0) return "invalid_answer";
  return finish(asking, request, { state: "resolved", answer, by }, from) ? "accepted" : lateAnswerStatus(request);
}

/** Returns what is wrong with an answer. A reported failure is always valid. */
export function answerProblems({ answer_schema }: BrowserQuestion, { success, result }: Answer): string[] {
  return success && answer_schema !== undefined ? schemaProblems(answer_schema, result ?? null) : [];
}

/** Cancels a pending question. Cancelling twice is allowed; other ended questions are an error. */
export function cancel(asking: Asking, id: string, reason: string): null {
  const request = readQuestion(asking, id);
  if (request === null) throw questionNotFound();
  if (finish(asking, request, { state: "cancelled", reason }) || request.state === "cancelled") return null;
  throw questionEnded(lateAnswerStatus(request));
}

/** Ends questions whose deadline has passed. */
export function expireDue(asking: Asking): void {
  for (const request of asking.questions.due(asking.now())) finish(asking, request, { state: "expired" });
}

/** Returns all pending questions for a page that connected. The attempt is counted before anything is sent. */
export function pendingFrames(asking: Asking): QuestionFrame[] {
  expireDue(asking);
  asking.questions.countSending();
  return asking.questions.pending().map(frameOf);
}

/** Sends a notification to the pages. It needs no answer and is not stored. */
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
 * Returns the function with which a tool's code asks and waits. Ids are derived from the call and the order of its questions, so a repeated
 * call, for example after a restart, finds its questions and answers. Cancelling the call cancels what it waits for.
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
    // A repeated call waits for what it asked before, even if no page is connected now.
    if (requireClient && asking.clients.count() === 0 && readQuestion(asking, id) === null) return NO_PAGE_ANSWER;
    ask(asking, id, question);
    const stop = () => {
      if (readQuestion(asking, id)?.state === "pending") cancel(asking, id, "call_cancelled");
    };
    signal.addEventListener("abort", stop, { once: true });
    try {
      const ended = await waitForEnd(asking, id, question.timeout_ms);
      return outcomeOf(ended) ?? { success: false, error: "The page has not answered yet. Try again later." };
    } finally {
      signal.removeEventListener("abort", stop);
    }
  };
}

export function questionNotFound(): GatewayError {
  return new GatewayError("not_found", "REQUEST_NOT_FOUND", "Request not found in this conversation. Check the id.");
}

/** The error for an answer after a question's end. */
export function questionEnded(verdict: "already_resolved" | "expired"): GatewayError {
  return verdict === "expired"
    ? new GatewayError("conflict", "EXPIRED", "The deadline of the request has passed. Ask again.")
    : new GatewayError(
        "conflict",
        "ALREADY_RESOLVED",
        "This request was already answered or cancelled. No further answer is needed.",
      );
}

/** Ends a question: first the row, then pages and waiters are notified. Returns `false` if it cannot end this way. */
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
