// Helpers for the blocks of Anthropic messages, used for reading and for merging.

import { isJsonObject, type JsonObject, type JsonValue } from "../../json";
import type { MadeCall } from "../protocol";

/** Returns a content as blocks. A text becomes one block. */
export function blocksOf(content: JsonValue | undefined): JsonObject[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return Array.isArray(content) ? content.filter(isJsonObject) : [];
}

export const isThought = ({ type }: JsonObject) => type === "thinking" || type === "redacted_thinking";

/** Returns the calls of a message that the vendor does not run itself. */
export function toolUsesIn({ content }: JsonObject): MadeCall[] {
  return blocksOf(content).flatMap((entry) => {
    const { type, id, name } = entry;
    if (type !== "tool_use" || typeof id !== "string" || typeof name !== "string") return [];
    return [{ id, name, entry }];
  });
}

/** Returns the visible text of blocks. */
export function textIn(blocks: readonly JsonObject[]): string {
  return blocks.flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? text : [])).join(" ");
}
