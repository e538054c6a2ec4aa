// State of one streamed completion step, and the format of chunks.

import { isJsonObject, type JsonObject } from "../../json";
import type { StepEnd } from "../protocol";

export interface ChatStepState {
  message: JsonObject;
  /** The fields of the choice outside the message. */
  choice: JsonObject;
  finish: string | null;
  isDone: boolean;
  usage: JsonObject | null;
  /** The last chunk, which contains the finish reason. */
  last: JsonObject | null;
  /** Buffered chunks with the caller's calls, which are sent at the end. */
  held: { chunk: JsonObject; call: JsonObject }[];
  /** The buffered text chunk if only the last step's text is sent, with its merged delta. */
  kept: { chunk: JsonObject; part: JsonObject } | null;
  hasText: boolean;
}

export const newStep = (): ChatStepState => ({
  ...{ message: {}, choice: {}, finish: null, isDone: false, usage: null, last: null },
  ...{ held: [], kept: null, hasText: false },
});

export const CHAT_ENDS: Readonly<Record<string, StepEnd>> = {
  stop: "stop",
  tool_calls: "calls",
  length: "length",
  content_filter: "refused",
};

/** Formats a chunk as a server-sent event. */
export const write = (value: JsonObject) => `data: ${JSON.stringify(value)}\n\n`;

export const defined = (fields: Record<string, JsonObject[string] | undefined>): JsonObject =>
  Object.fromEntries(Object.entries(fields).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));

export function withChoice(chunk: JsonObject, more: JsonObject): JsonObject {
  const [choice] = Array.isArray(chunk.choices) ? chunk.choices : [];
  return { ...chunk, choices: [{ ...(isJsonObject(choice) ? choice : {}), ...more }] };
}
