// Helpers for OpenAI messages, used for reading and for merging.

import { isJsonObject, type JsonObject, type JsonValue } from "../../json";
import type { MadeCall } from "../protocol";

/** Returns the text of a content that is a string or a list of parts. */
export function contentText(content: JsonValue | undefined): string {
  if (typeof content === "string") return content;
  const parts = Array.isArray(content) ? content : [];
  return parts.flatMap((part) => (isJsonObject(part) && typeof part.text === "string" ? part.text : [])).join(" ");
}

export const callsIn = ({ tool_calls: calls }: JsonObject): JsonObject[] =>
  Array.isArray(calls) ? calls.filter(isJsonObject) : [];

/** Returns the object with the name in a tool, a call or a tool choice: `function`, or `custom` for tools with free-form input. */
export function namedIn({ function: called, custom }: JsonObject): JsonObject | null {
  if (isJsonObject(called)) return called;
  return isJsonObject(custom) ? custom : null;
}

/** Returns the calls of a complete message. */
export function madeCalls(message: JsonObject): MadeCall[] {
  return callsIn(message).flatMap((entry) => {
    const { id } = entry;
    const name = namedIn(entry)?.name;
    return typeof id === "string" && typeof name === "string" ? [{ id, name, entry }] : [];
  });
}
