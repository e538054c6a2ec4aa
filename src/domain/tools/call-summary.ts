// Derives what a page sees of a call from the call and its result.

import { type JsonValue, utf8Bytes } from "../json";
import type { CallHead } from "../questions/call-frame";
import { SHOWN_LIMITS } from "../questions/limits";
import { cutText, type ToolCall, type ToolResult } from "../tool";
import { builtinOf, isBuiltin } from "./builtin";

/**
 * Returns the summary of a starting call, under the name of the called tool even if a fixed list wraps it.
 *
 * @param skillOf returns the skill of a tool name that is not the gateway's own
 */
export function startOfCall(
  call: ToolCall,
  skillOf: (name: string) => string | null,
  { started, place }: Pick<CallHead, "started" | "place">,
): CallHead {
  const { name, arguments: args } = meant(call);
  const about = isBuiltin(name) ? textIn(args.skill_name ?? args.skill) : skillOf(name);
  const isShort = utf8Bytes(JSON.stringify(args)) <= SHOWN_LIMITS.argumentBytes;
  return {
    name: cut(name),
    skill: about === null ? null : cut(about),
    state: "running",
    started,
    place,
    ended: null,
    arguments: isShort ? args : null,
  };
}

/** Returns the summary of the finished call. `result` is `null` if storage did not respond. */
export function afterEnd(head: CallHead, result: ToolResult | null, isCancelled: boolean, now: number): CallHead {
  const failed = result === null || result.isError === true;
  return { ...head, state: isCancelled ? "cancelled" : failed ? "failed" : "done", ended: now };
}

/**
 * Returns the output of a call for a page: its text, shortened, and the kinds of other blocks. For loading tools only failures are shown,
 * because the rest is instructions for the model.
 */
export function outputOf(call: ToolCall, result: ToolResult): string | null {
  if (builtinOf(call.name)?.effect === "loads" && result.isError !== true) return null;
  const blocks = result.content.map((block) =>
    block.type === "text" && typeof block.text === "string" ? block.text : `(${textIn(block.mimeType) ?? block.type})`,
  );
  return cutText(blocks.join("\n"), SHOWN_LIMITS.outputChars);
}

function meant({ name, arguments: args }: ToolCall): Pick<ToolCall, "name" | "arguments"> {
  if (name !== "call_skill_tool" || typeof args.name !== "string") return { name, arguments: args };
  const inner = args.arguments;
  const isObject = typeof inner === "object" && inner !== null && !Array.isArray(inner);
  return { name: args.name, arguments: isObject ? inner : {} };
}

function textIn(value: JsonValue | undefined): string | null {
  return typeof value === "string" ? value : null;
}

/** A model can write any text as a name. */
function cut(name: string): string {
  return name.slice(0, SHOWN_LIMITS.nameChars);
}
