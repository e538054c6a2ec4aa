// Sends a request, such as a tool call, and answers the questions that the server asks before its result. Up to 2025-11-25 the server asks
// in the stream of the call. In 2026-07-28 it returns an interim result, after which the client repeats the call with the answers.

import * as z from "zod";
import { type JsonValue, jsonObject, utf8Bytes } from "../domain/json";
import { ROUND_LIMITS, type ServerQuestion } from "../domain/servers/round";
import type { Connection } from "./connection";
import type { Deadline } from "./deadline";
import { UpstreamFault } from "./fault";
import { NO_ANSWERER, type QuestionableCall, type QuestionHandler } from "./server-questions";
import type { NextRound, RepeatableRequest } from "./tool-call";

const requiredSchema = z.object({
  resultType: z.literal("input_required"),
  inputRequests: z.record(z.string(), z.object({ method: z.string(), params: jsonObject.optional() })).default({}),
  requestState: z.string().optional(),
});

/**
 * Sends a request and answers the server's questions until there is a result.
 *
 * @param subscribe also receives questions outside the call's own stream, until the returned function is called
 */
export async function callWithAnswers(
  connection: Connection,
  deadline: Deadline,
  made: RepeatableRequest,
  subscribe: (call: QuestionableCall) => Promise<() => void>,
): Promise<unknown> {
  const { client, inquiries } = connection;
  const { inquiry, logs, next } = made;
  if (inquiry === undefined) return made.send(client, deadline);
  let wasAsked = false;
  const asked: QuestionableCall = {
    log: (params) => logs?.receive(params),
    async ask(question) {
      wasAsked = true;
      inquiry.note({ era: "legacy" });
      const [response] = await deadline.holding(() => inquiry.answer([question]));
      return response ?? NO_ANSWERER;
    },
  };
  inquiries.add(asked);
  const leave = await subscribe(asked);
  try {
    for (;;) {
      if (next.count > 0 && next.params === null) await answerQuestions(deadline, inquiry, next);
      const answer = await made.send(client, deadline);
      const required = requiredSchema.safeParse(answer).data;
      if (required === undefined) return answer;
      const { inputRequests, requestState = null } = required;
      const questions = Object.entries(inputRequests).map(([key, { method, params = {} }]) => ({
        key,
        method,
        params,
      }));
      next.count++;
      requireBounded(next.count, questions, requestState);
      Object.assign(next, { asked: questions, params: null, state: requestState });
      inquiry.note({ era: "modern", count: next.count, asked: questions, state: requestState });
    }
  } catch (error) {
    // A question was already answered, so the call must not be repeated.
    if (wasAsked && error instanceof UpstreamFault && error.status !== null)
      throw new UpstreamFault(error.kind, error.message);
    throw error;
  } finally {
    inquiries.delete(asked);
    leave();
  }
}

/** Waits for the answers to the questions of the last round. */
async function answerQuestions(deadline: Deadline, inquiry: QuestionHandler, next: NextRound): Promise<void> {
  const responses = await deadline.holding(() => deadline.within(inquiry.answer(next.asked)));
  const inputResponses: Record<string, JsonValue> = {};
  for (const [index, { key, method }] of next.asked.entries()) {
    const response = responses[index];
    // In this revision an answer cannot be an error.
    if (response?.result === undefined)
      throw new UpstreamFault("answer", `it asks for ${method.slice(0, 60)}, which is not supported here`);
    Object.defineProperty(inputResponses, key, { value: response.result, enumerable: true });
  }
  next.params = { inputResponses, ...(next.state === null ? {} : { requestState: next.state }) };
}

function requireBounded(count: number, questions: readonly ServerQuestion[], state: string | null): void {
  const bytes = utf8Bytes(JSON.stringify([questions, state]));
  if (count > ROUND_LIMITS.rounds) throw new UpstreamFault("answer", "it asks too often");
  if (questions.length > ROUND_LIMITS.questions) throw new UpstreamFault("answer", "it asks too much at once");
  if (bytes > ROUND_LIMITS.bytes) throw new UpstreamFault("too_large", "what it asks is too large");
}
