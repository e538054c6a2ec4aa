// A request, as a call of a tool is one, and what its server asks in the middle of it: in the call's own stream (to 2025-11-25), or as an answer that is
// none yet, after which the same call is made again with what was asked for (2026-07-28).

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
 * Sends a request and answers what its server asks, until there is a result.
 *
 * @param hear has the call hear also what is asked beside its own stream, until what it gives is called
 */
export async function callWithAnswers(
  connection: Connection,
  deadline: Deadline,
  made: RepeatableRequest,
  hear: (call: QuestionableCall) => Promise<() => void>,
): Promise<unknown> {
  const { client, inquiries } = connection;
  const { inquiry, logs, next } = made;
  if (inquiry === undefined) return made.send(client, deadline);
  let wasAsked = false;
  const asked: QuestionableCall = {
    hear: (params) => logs?.hear(params),
    async ask(question) {
      wasAsked = true;
      inquiry.note({ era: "legacy" });
      const [response] = await deadline.holding(() => inquiry.answer([question]));
      return response ?? NO_ANSWERER;
    },
  };
  inquiries.add(asked);
  const leave = await hear(asked);
  try {
    for (;;) {
      if (next.count > 0 && next.params === null) await goOn(deadline, inquiry, next);
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
    // A question was answered already: the call is not made a second time.
    if (wasAsked && error instanceof UpstreamFault && error.status !== null)
      throw new UpstreamFault(error.kind, error.message);
    throw error;
  } finally {
    inquiries.delete(asked);
    leave();
  }
}

/** Waits for the answers to what the last round asked. */
async function goOn(deadline: Deadline, inquiry: QuestionHandler, next: NextRound): Promise<void> {
  const responses = await deadline.holding(() => deadline.within(inquiry.answer(next.asked)));
  const inputResponses: Record<string, JsonValue> = {};
  for (const [index, { key, method }] of next.asked.entries()) {
    const response = responses[index];
    // An answer of this era has no place for an error.
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
