// A question to the browser and what becomes of it: pending, then resolved, expired or cancelled, once and for good.

import * as z from "zod";
import { sha256Hex } from "../digest";
import { type JsonObject, type JsonValue, jsonValue } from "../json";
export const QUESTION_STATES = ["pending", "resolved", "expired", "cancelled"] as const;

export type QuestionState = (typeof QUESTION_STATES)[number];

/** What a page answers. */
export const answerSchema = z.object({
  success: z.boolean(),
  result: jsonValue.optional(),
  error: jsonValue.optional(),
});

export type Answer = z.infer<typeof answerSchema>;

/**
 * An MCP server that asks, as the gateway knows it: nothing of it is the server's own word. `host` has the port where that is not the
 * protocol's.
 */
export const askerSchema = z.strictObject({ kind: z.literal("server"), name: z.string(), host: z.string() });

export type AskingServer = z.infer<typeof askerSchema>;

/** The actions by which MCP servers ask. */
export const SERVER_ACTIONS = ["form", "open_url"] as const;
export type ServerAction = (typeof SERVER_ACTIONS)[number];

/** What is asked of the page, by whom, and for how long. */
export interface Question {
  skill_name: string | null;
  action: string;
  payload: JsonValue;
  timeout_ms: number;
  /** What the result of an answer must be; anything will do where there is none. */
  answer_schema?: JsonObject | undefined;
  /** Absent where a skill's code or the back end asks. */
  from?: AskingServer | undefined;
}

export interface BrowserQuestion extends Question {
  id: string;
  /** Its place among everything the conversation sends; rises. */
  seq: number;
  created: number;
  deadline: number;
  /** How many times it was sent. */
  attempt: number;
  state: QuestionState;
  answer: Answer | null;
  /** Who answered, or why it was cancelled. */
  note: string | null;
  ended: number | null;
}

export type Ending =
  | { state: "resolved"; answer: Answer; by: string }
  | { state: "expired" }
  | { state: "cancelled"; reason: string };

/** A new question. `attempt` is 1 when it is sent at once, 0 when it waits for somebody to send it to. */
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

/** Whether nothing but expiring is left for it. */
export function isDue(request: BrowserQuestion, now: number): boolean {
  return request.state === "pending" && now >= request.deadline;
}

/** The question after its ending, or `null` when it may not end so: it has ended, or only its deadline decides. */
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

/** What the caller gets: the accepted answer, or why there is none. `null` while there is time. */
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

/** Whole seconds: what is left of a tool's time is a fraction of one that nobody chose. Less than one is told as it is. */
function secondsOf(ms: number): number {
  return ms < 1_000 ? ms / 1_000 : Math.round(ms / 1_000);
}

/** What an answer is told that comes after the end. */
export function lateAnswerStatus(request: BrowserQuestion): "already_resolved" | "expired" {
  return request.state === "expired" ? "expired" : "already_resolved";
}

/** Where in a tool call a question is made. `pass` counts restores, since they let a turn happen again. */
export interface CallSite {
  userId: string;
  conversation: string;
  turn: number;
  pass: number;
  callId: string;
  ordinal: number;
}

/** The id of a question made inside a tool: the same call, repeated, finds the same question. */
export async function questionIdAt(site: CallSite): Promise<string> {
  const { userId, conversation, turn, pass, callId, ordinal } = site;
  const digest = await sha256Hex(JSON.stringify([userId, conversation, turn, pass, callId, ordinal]));
  return `req_${digest.slice(0, 26)}`;
}
