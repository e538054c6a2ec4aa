// Defines the interface of skill code to the pages of its conversation.

import type { JsonObject, JsonValue } from "../domain/json";

/** The answer of a page, or the reason why there is none. */
export interface BrowserAnswer {
  success: boolean;
  result?: JsonValue | undefined;
  error?: JsonValue | undefined;
}

/** A question from a tool's code. */
export interface BrowserRequest {
  action: string;
  payload: JsonValue;
  timeoutMs: number;
  /** Whether the question fails immediately if no page is connected. */
  requireClient: boolean;
  /** The schema for the result of an answer. If absent, any value is accepted. */
  answerSchema?: JsonObject | undefined;
}

/** The connection from one tool call to the pages of its conversation. */
export interface BrowserLink {
  /** Sends a question and waits for the answer. Questions of a call are numbered, so that a repeated call finds its earlier questions. */
  request(request: BrowserRequest): Promise<BrowserAnswer>;
  /** Sends a message without waiting for an answer. */
  emit(action: string, payload: JsonValue): void;
}

/** Returned immediately if no page is connected. */
export const NO_PAGE_ANSWER: BrowserAnswer = { success: false, error: "No page is connected to this conversation." };

/** The link used if no page is connected. */
export const NO_PAGE: BrowserLink = {
  request: async () => NO_PAGE_ANSWER,
  emit: () => {},
};
