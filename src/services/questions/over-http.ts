// Creates and lists questions to the browser over HTTP.

import * as z from "zod";
import { decodeCursor, pageOf } from "../../domain/cursor";
import { DURATIONS } from "../../domain/durations";
import { GatewayError } from "../../domain/errors";
import { utf8Bytes } from "../../domain/json";
import { ANSWER_TOO_LARGE, QUESTION_LIMITS } from "../../domain/questions/limits";
import type { Answer, BrowserQuestion, QuestionState } from "../../domain/questions/question";
import type { Context } from "../context";
import { type Idempotency, keyReused, runIdempotently } from "../idempotency";
import type { Session } from "../session";
import {
  type Asking,
  answerProblems,
  ask,
  expireDue,
  questionEnded,
  questionNotFound,
  readQuestion,
  respond,
  waitForEnd,
} from "./ask";
import { itemOf, type QuestionList, type QuestionReply, type QuestionRequest, replyOf } from "./views";

const responseTakenSchema = () => z.object({ success: z.literal(true) });
const cursorSchema = z.object({ seq: z.number() });

/** Asks and waits. The same Idempotency-Key finds the same question and waits for it again. */
export async function takeQuestion(
  context: Context,
  session: Session,
  asking: Asking,
  request: QuestionRequest,
  once: Idempotency | null,
): Promise<QuestionReply> {
  const { store } = session;
  const now = context.now();
  store.dropAnswersBefore(now - DURATIONS.idempotency);
  const known = once === null ? null : store.answer(once.key);
  if (known !== null && known.request !== once?.request) throw keyReused();
  const id = known === null ? context.newId("req") : z.string().parse(JSON.parse(known.answer ?? "null"));
  ask(asking, id, request.question, request.require_client);
  // There is no await in between, so both rows are written or none.
  if (once !== null && known === null) store.keepAnswer(once.key, now, once.request, JSON.stringify(id));
  return replyOf(await waitForEnd(asking, id, request.wait_ms));
}

/** Accepts an answer over HTTP. Throws if the question has ended differently. */
export function takeResponse(
  context: Context,
  session: Session,
  asking: Asking,
  id: string,
  answer: Answer,
  once: Idempotency | null,
): Promise<{ success: true }> {
  return runIdempotently(context, session.store, once, responseTakenSchema, async () => {
    if (utf8Bytes(JSON.stringify(answer)) > QUESTION_LIMITS.answerBytes) {
      throw new GatewayError("too_large", "ANSWER_TOO_LARGE", ANSWER_TOO_LARGE);
    }
    const verdict = respond(asking, id, answer, context.caller.principal.userId, null);
    if (verdict === "unknown_request") throw questionNotFound();
    if (verdict === "invalid_answer") throw unfit(readQuestion(asking, id), answer);
    if (verdict !== "accepted") throw questionEnded(verdict);
    return { success: true };
  });
}

function unfit(request: BrowserQuestion | null, answer: Answer): GatewayError {
  const problems = request === null ? [] : answerProblems(request, answer);
  const issues = problems.map((message) => ({ code: "INVALID_ANSWER", message, path: "result" }));
  const message = "The result does not match the requested schema. Answer again; the request is still pending.";
  return new GatewayError("invalid", "INVALID_ANSWER", message, { issues });
}

/** Returns a page of the conversation's questions, newest first. Ended questions are stored for one day. */
export function listQuestions(
  asking: Asking,
  wanted: QuestionState | null,
  limit: number,
  cursor: string | undefined,
): QuestionList {
  expireDue(asking);
  const before = decodeCursor(cursor, cursorSchema)?.seq ?? null;
  const found = asking.questions.list(wanted, limit + 1, before);
  const { page, nextCursor } = pageOf(found, limit, ({ seq }) => ({ seq }));
  return { items: page.map(itemOf), next_cursor: nextCursor };
}
