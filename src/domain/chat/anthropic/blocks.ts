// The parts of Anthropic's messages that both reading and merging look at.

import { isJsonObject, type JsonObject, type JsonValue } from "../../json";
import type { MadeCall } from "../protocol";

/** A content as blocks: a text is one. */
export function blocksOf(content: JsonValue | undefined): JsonObject[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return Array.isArray(content) ? content.filter(isJsonObject) : [];
}

export const isThought = ({ type }: JsonObject) => type === "thinking" || type === "redacted_thinking";

/** The calls of a message that the vendor does not run itself. */
export function toolUsesIn({ content }: JsonObject): MadeCall[] {
  return blocksOf(content).flatMap((entry) => {
    const { type, id, name } = entry;
    if (type !== "tool_use" || typeof id !== "string" || typeof name !== "string") return [];
    return [{ id, name, entry }];
  });
}

/** What of blocks a reader sees. */
export function textIn(blocks: readonly JsonObject[]): string {
  return blocks.flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? text : [])).join(" ");
}
