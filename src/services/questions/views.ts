// Representations of a question: for its caller, in lists, and in full.

import * as z from "zod";
import { jsonValue } from "../../domain/json";
import {
  askerSchema,
  type BrowserQuestion,
  outcomeOf,
  QUESTION_STATES,
  type Question,
} from "../../domain/questions/question";
import type { Session } from "../session";

const state = z.enum(QUESTION_STATES);

/** The reply to the caller: includes the outcome if there is one. */
export const questionReplySchema = () =>
  z.object({
    request_id: z.string(),
    state,
    success: z.boolean().optional(),
    result: jsonValue.optional(),
    error: jsonValue.optional(),
    deadline: z.string(),
  });

/** A question in lists, without payload and result. */
export const questionItemSchema = z.object({
  request_id: z.string(),
  state,
  skill_name: z.string().nullable(),
  action: z.string(),
  from: askerSchema.optional(),
  attempt: z.int(),
  created_at: z.string(),
  deadline: z.string(),
});

export const questionDetailSchema = () =>
  questionItemSchema.extend({
    payload: jsonValue,
    success: z.boolean().optional(),
    result: jsonValue.optional(),
    error: jsonValue.optional(),
    /** The user who answered. */
    answered_by: z.string().optional(),
  });

export const questionListSchema = () =>
  z.object({ items: z.array(questionItemSchema), next_cursor: z.string().nullable() });

export type QuestionReply = z.infer<ReturnType<typeof questionReplySchema>>;
export type QuestionItem = z.infer<typeof questionItemSchema>;
export type QuestionDetail = z.infer<ReturnType<typeof questionDetailSchema>>;
export type QuestionList = z.infer<ReturnType<typeof questionListSchema>>;

/** A question requested over HTTP. */
export interface QuestionRequest {
  question: Question;
  require_client: boolean;
  wait_ms: number;
}

/** Returns pending questions, oldest first. Only reads: expired ones are left out and end by the alarm. */
export function pendingOf(session: Session, now: number): QuestionItem[] {
  return session.store.questions
    .pending()
    .filter((request) => request.deadline > now)
    .map(itemOf);
}

export function questionDetailOf(request: BrowserQuestion): QuestionDetail {
  const by = request.state === "resolved" && request.note !== null ? { answered_by: request.note } : {};
  return { ...itemOf(request), payload: request.payload, ...outcomeOf(request), ...by };
}

export function replyOf(request: BrowserQuestion): QuestionReply {
  const deadline = new Date(request.deadline).toISOString();
  return { request_id: request.id, state: request.state, ...outcomeOf(request), deadline };
}

export function itemOf(request: BrowserQuestion): QuestionItem {
  return {
    request_id: request.id,
    state: request.state,
    skill_name: request.skill_name,
    action: request.action,
    ...(request.from === undefined ? {} : { from: request.from }),
    attempt: request.attempt,
    created_at: new Date(request.created).toISOString(),
    deadline: new Date(request.deadline).toISOString(),
  };
}
