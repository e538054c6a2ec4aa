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

/** The calls of a whole message. */
export function madeCalls(message: JsonObject): MadeCall[] {
  return callsIn(message).flatMap((entry) => {
    const { id, function: named } = entry;
    if (typeof id !== "string" || !isJsonObject(named) || typeof named.name !== "string") return [];
    return [{ id, name: named.name, entry }];
  });
}
