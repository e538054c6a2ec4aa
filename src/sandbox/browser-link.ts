// What skill code has of the pages of its conversation.

import type { JsonObject, JsonValue } from "../domain/json";

/** What a page answered, or why none did. */
export interface BrowserAnswer {
  success: boolean;
  result?: JsonValue | undefined;
  error?: JsonValue | undefined;
}

/** A question of a tool's code. */
export interface BrowserRequest {
  action: string;
  payload: JsonValue;
  timeoutMs: number;
  /** Whether it is only worth asking while a page is connected. */
  requireClient: boolean;
  /** What the result of an answer must be; anything will do where there is none. */
  answerSchema?: JsonObject | undefined;
}

/** The way from one tool call to the pages of its conversation. */
export interface BrowserLink {
  /** Asks and waits. The questions of a call are counted, so that a repeated call finds its own again. */
  request(request: BrowserRequest): Promise<BrowserAnswer>;
  /** Tells, without an answer. */
  emit(action: string, payload: JsonValue): void;
}

/** What is answered at once where no page is connected. */
export const NO_PAGE_ANSWER: BrowserAnswer = { success: false, error: "No page is connected to this conversation." };

/** The link where no page is connected. */
export const NO_PAGE: BrowserLink = {
  request: async () => NO_PAGE_ANSWER,
  emit: () => {},
};
