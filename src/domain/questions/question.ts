// A question to the browser and its state: pending, then once resolved, expired or cancelled.

import * as z from "zod";
import { sha256Hex } from "../digest";
import { type JsonObject, type JsonValue, jsonValue } from "../json";
export const QUESTION_STATES = ["pending", "resolved", "expired", "cancelled"] as const;

export type QuestionState = (typeof QUESTION_STATES)[number];

/** A page's answer. */
export const answerSchema = z.object({
  success: z.boolean(),
  result: jsonValue.optional(),
  error: jsonValue.optional(),
});

export type Answer = z.infer<typeof answerSchema>;

/** The asking MCP server in the gateway's words; nothing of it comes from the server. `host` includes the port if it is not the default. */
export const askerSchema = z.strictObject({ kind: z.literal("server"), name: z.string(), host: z.string() });

export type AskingServer = z.infer<typeof askerSchema>;

/** The actions that MCP servers can ask for. */
export const SERVER_ACTIONS = ["form", "open_url"] as const;
export type ServerAction = (typeof SERVER_ACTIONS)[number];

/** A question to a page: its action, payload, asker and deadline. */
export interface Question {
  skill_name: string | null;
  action: string;
  payload: JsonValue;
  timeout_ms: number;
  /** JSON Schema of the answer's result; absent: anything. */
  answer_schema?: JsonObject | undefined;
  /** Absent if a skill's code or the back end asks. */
  from?: AskingServer | undefined;
}

export interface BrowserQuestion extends Question {
  id: string;
  /** Its sequence number among everything that the conversation sends. */
  seq: number;
  created: number;
  deadline: number;
  /** Number of times it was sent. */
  attempt: number;
  state: QuestionState;
  answer: Answer | null;
  /** The user who answered, or the reason for the cancellation. */
  note: string | null;
  ended: number | null;
}

export type Ending =
  | { state: "resolved"; answer: Answer; by: string }
  | { state: "expired" }
  | { state: "cancelled"; reason: string };

/** Returns a new question. `attempt`: 1 if it is sent immediately, 0 if it waits for a page. */
export function asked(id: string, seq: number, question: Question, now: number, attempt: number): BrowserQuestion {
  const deadline = now + question.timeout_ms;
  return {
    ...question,
    id,
    seq,
    created: now,
    deadline,
    attempt,
    state: "pending",
    answer: null,
    note: null,
    ended: null,
  };
}

/** Whether a question is pending and its deadline has passed. */
export function isDue(request: BrowserQuestion, now: number): boolean {
  return request.state === "pending" && now >= request.deadline;
}

/** Returns the ended question, or `null` if it cannot end this way: it has ended, or only its deadline can end it. */
export function end(request: BrowserQuestion, ending: Ending, now: number): BrowserQuestion | null {
  if (request.state !== "pending" || isDue(request, now) !== (ending.state === "expired")) return null;
  const ended = { ...request, state: ending.state, ended: now };
  switch (ending.state) {
    case "resolved":
      return { ...ended, answer: ending.answer, note: ending.by };
    case "expired":
      return ended;
    case "cancelled":
      return { ...ended, note: ending.reason };
  }
}

/** Returns the accepted answer, or why there is none; `null` while it is pending. */
export function outcomeOf(request: BrowserQuestion): Answer | null {
  switch (request.state) {
    case "pending":
      return null;
    case "resolved":
      return request.answer;
    case "expired":
      return { success: false, error: `No answer within ${secondsOf(request.timeout_ms)}s` };
    case "cancelled":
      return { success: false, error: "The request was cancelled." };
  }
}

/** Returns whole seconds, or the fraction below one second. */
function secondsOf(ms: number): number {
  return ms < 1_000 ? ms / 1_000 : Math.round(ms / 1_000);
}

/** Returns the status for an answer that arrives after the end. */
export function lateAnswerStatus(request: BrowserQuestion): "already_resolved" | "expired" {
  return request.state === "expired" ? "expired" : "already_resolved";
}

/** The place of a question in a tool call. `pass` counts restores, because a restored turn can repeat. */
export interface CallSite {
  userId: string;
  conversation: string;
  turn: number;
  pass: number;
  callId: string;
  ordinal: number;
}

/** Returns the id of a question asked inside a tool: a repeated call finds the same question. */
export async function questionIdAt(site: CallSite): Promise<string> {
  const { userId, conversation, turn, pass, callId, ordinal } = site;
  const digest = await sha256Hex(JSON.stringify([userId, conversation, turn, pass, callId, ordinal]));
  return `req_${digest.slice(0, 26)}`;
}
