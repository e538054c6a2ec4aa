// The parts of OpenAI's messages that both reading and merging look at.

import { isJsonObject, type JsonObject, type JsonValue } from "../../json";
import type { MadeCall } from "../protocol";

/** The text of a content that is a text or a list of parts. */
export function contentText(content: JsonValue | undefined): string {
  if (typeof content === "string") return content;
  const parts = Array.isArray(content) ? content : [];
  return parts.flatMap((part) => (isJsonObject(part) && typeof part.text === "string" ? part.text : [])).join(" ");
}

export const callsIn = ({ tool_calls: calls }: JsonObject): JsonObject[] =>
  Array.isArray(calls) ? calls.filter(isJsonObject) : [];

/** What of a tool, a call or a choice has the name: a function, or a tool whose input is any text. */
export function namedIn({ function: called, custom }: JsonObject): JsonObject | null {
  if (isJsonObject(called)) return called;
  return isJsonObject(custom) ? custom : null;
}

/** The calls of a whole message. */
export function madeCalls(message: JsonObject): MadeCall[] {
  return callsIn(message).flatMap((entry) => {
    const { id } = entry;
    const name = namedIn(entry)?.name;
    return typeof id === "string" && typeof name === "string" ? [{ id, name, entry }] : [];
  });
}
