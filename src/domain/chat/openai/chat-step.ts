// One step of a streamed completion while it comes in, and how chunks are written.

import { isJsonObject, type JsonObject } from "../../json";
import type { StepEnd } from "../protocol";

export interface ChatStepState {
  message: JsonObject;
  /** What of the choice is not the message. */
  choice: JsonObject;
  finish: string | null;
  isDone: boolean;
  usage: JsonObject | null;
  /** Its last chunk, which says why it ended. */
  last: JsonObject | null;
  /** Chunks with the caller's calls, which are handed out at the end. */
  held: { chunk: JsonObject; call: JsonObject }[];
  /** The chunk of a text that is kept back, where only the last step's is given out, and its delta so far. */
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

/** A chunk as an event. */
export const write = (value: JsonObject) => `data: ${JSON.stringify(value)}\n\n`;

export const defined = (fields: Record<string, JsonObject[string] | undefined>): JsonObject =>
  Object.fromEntries(Object.entries(fields).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));

export function withChoice(chunk: JsonObject, more: JsonObject): JsonObject {
  const [choice] = Array.isArray(chunk.choices) ? chunk.choices : [];
  return { ...chunk, choices: [{ ...(isJsonObject(choice) ? choice : {}), ...more }] };
}
