// Items of the Responses API. What a model made in one answer lies there as many items in a row; here they are one message, `step`, so
// that the loop and the tree have an assistant's message in every protocol.

import { isJsonObject, type JsonObject, type JsonValue } from "../../json";
import type { MadeCall, Said } from "../protocol";

const STEP = "step";

/** Items that a model makes, beside messages of the assistant. */
const MADE = /^(?:.*_call|reasoning|compaction|item_reference|mcp_list_tools|mcp_approval_request)$/;
/** What a caller brings for a call. Such types are also of no message. */
const RESULTS = /^(?:.*_call_output|mcp_approval_response)$/;
/** Calls of functions: ours, or the caller's. */
const CALLS = new Set(["function_call", "custom_tool_call"]);
/** Calls that the caller's own machine runs, and that have no name. */
export const RUN_BY_CALLER = [
  ...["local_shell_call", "shell_call", "apply_patch_call", "computer_call"],
  "mcp_approval_request",
];

export const stepOfItems = (items: readonly JsonObject[]): JsonObject => ({
  ...{ type: STEP, role: "assistant" },
  content: [...items],
});

/** The items of a message: one that is no step is its own. */
export function itemsOf(message: JsonObject): JsonObject[] {
  if (message.type !== STEP) return [message];
  return Array.isArray(message.content) ? message.content.filter(isJsonObject) : [];
}

export const isThoughtItem = ({ type }: JsonObject) => type === "reasoning";
export const isResultItem = ({ type }: JsonObject) => typeof type === "string" && RESULTS.test(type);
export const isCallItem = ({ type }: JsonObject) =>
  typeof type === "string" && (CALLS.has(type) || RUN_BY_CALLER.includes(type));
/** A call that any text may answer. */
export const isFunctionItem = ({ type }: JsonObject) => typeof type === "string" && CALLS.has(type);
/** A call that the vendor has run itself. */
export const isRunByVendor = (item: JsonObject) =>
  typeof item.type === "string" && item.type.endsWith("_call") && !isCallItem(item);

const isMade = ({ type, role }: JsonObject) =>
  role === "assistant" || (role === undefined && typeof type === "string" && MADE.test(type));

/** The input of a request, as messages: what was made in a row is one step. `null` where there is no input. */
export function messagesOfInput(input: JsonValue | undefined): JsonObject[] | null {
  if (typeof input === "string") return [{ role: "user", content: input }];
  if (!Array.isArray(input)) return null;
  const messages: JsonObject[] = [];
  let made: JsonObject[] = [];
  const close = () => {
    if (made.length > 0) messages.push(stepOfItems(withoutLostThoughts(made)));
    made = [];
  };
  for (const item of input.filter(isJsonObject)) {
    if (isMade(item)) made.push(item);
    else {
      close();
      messages.push(item);
    }
  }
  close();
  return messages;
}

/**
 * The vendor keeps nothing, so that a thought without its content is not known to it, and neither is one whose item is not there. What
 * was made with such a thought goes without its id, by which the vendor would ask for it.
 */
function withoutLostThoughts(items: readonly JsonObject[]): JsonObject[] {
  const isWhole = ({ encrypted_content: sealed, content }: JsonObject) =>
    typeof sealed === "string" || (Array.isArray(content) && content.length > 0);
  const isKept = (item: JsonObject, at: number) =>
    !isThoughtItem(item) || (isWhole(item) && items[at + 1] !== undefined && !isThoughtItem(items[at + 1] ?? {}));
  return items.every(isKept)
    ? [...items]
    : withoutThoughtItems(
        items.filter((item, at) => !isThoughtItem(item) || isKept(item, at)),
        true,
      );
}

/** The items without thoughts, or with those that are left, and without the ids that bind them to thoughts. */
function withoutThoughtItems(items: readonly JsonObject[], keepsWhole: boolean): JsonObject[] {
  const left = keepsWhole ? items : items.filter((item) => !isThoughtItem(item));
  return left.map((item, at) => {
    const before = left[at - 1];
    if (isThoughtItem(item) || item.type === "item_reference" || (before !== undefined && isThoughtItem(before)))
      return item;
    const { id: _, ...bare } = item;
    return bare;
  });
}

/** A step for another model than made it. */
export function withoutStepThoughts(message: JsonObject): JsonObject {
  const items = itemsOf(message);
  if (message.type !== STEP || !items.some(isThoughtItem)) return message;
  return stepOfItems(withoutThoughtItems(items, false));
}

/** A step without some of its calls, and without thoughts that only they had been made with. */
export function withoutCallItems(message: JsonObject, ids: readonly string[]): JsonObject {
  const left = itemsOf(message).filter((item) => !isCallItem(item) || !ids.includes(callIdOf(item) ?? ""));
  const isLast = (at: number) => left.slice(at).every(isThoughtItem);
  return stepOfItems(
    left.filter((item, at) => !isThoughtItem(item) || !(isLast(at) || isThoughtItem(left[at + 1] ?? {}))),
  );
}

export const idOf = ({ id }: JsonObject): string | null => (typeof id === "string" ? id : null);

/** What ties a call and its result. */
export function callIdOf({ type, id, call_id: call, approval_request_id: asked }: JsonObject): string | null {
  const found = type === "mcp_approval_request" ? id : (call ?? asked);
  return typeof found === "string" ? found : null;
}

/** The calls of a step that the vendor does not run itself. One without a name is called as its type. */
export function callsInStep(message: JsonObject): MadeCall[] {
  return itemsOf(message).flatMap((entry) => {
    const id = callIdOf(entry);
    if (id === null || !isCallItem(entry)) return [];
    return [{ id, name: isFunctionItem(entry) ? String(entry.name) : String(entry.type), entry }];
  });
}

/** The texts of a message's items. */
export function textsIn(items: readonly JsonObject[]): string[] {
  return items.flatMap(({ type, role, content }) => {
    if (role !== "assistant" || (type !== undefined && type !== "message")) return [];
    if (typeof content === "string") return [content];
    const parts = Array.isArray(content) ? content.filter(isJsonObject) : [];
    return parts.flatMap(({ text, refusal }) =>
      typeof text === "string" ? text : typeof refusal === "string" ? refusal : [],
    );
  });
}

/** What of items their reader sees. Readers join the texts in their own ways, so that no blank counts. */
export function saidIn(items: readonly JsonObject[]): Said {
  const calls = callsInStep(stepOfItems(items)).map(({ id }) => id);
  return { text: textsIn(items).join("").replace(/\s+/g, ""), calls };
}
