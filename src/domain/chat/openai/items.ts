// Groups items of the Responses API. Consecutive items of one model answer become one message, a `step`, so that every protocol has one
// assistant message per step.

import { isJsonObject, type JsonObject, type JsonValue } from "../../json";
import type { MadeCall, Said } from "../protocol";

const STEP = "step";

/** Types of items that a model creates, in addition to assistant messages. */
const MADE = /^(?:.*_call|reasoning|compaction|item_reference|mcp_list_tools|mcp_approval_request)$/;
/** Types of results that a caller sends for a call. */
const RESULTS = /^(?:.*_call_output|mcp_approval_response)$/;
/** Calls of functions, of the gateway or the caller. */
const CALLS = new Set(["function_call", "custom_tool_call"]);
/** Calls that the caller's machine runs and that have no name. */
export const RUN_BY_CALLER = [
  ...["local_shell_call", "shell_call", "apply_patch_call", "computer_call"],
  "mcp_approval_request",
];

export const stepOfItems = (items: readonly JsonObject[]): JsonObject => ({
  ...{ type: STEP, role: "assistant" },
  content: [...items],
});

/** Returns the items of a message. A message that is not a step is itself the item. */
export function itemsOf(message: JsonObject): JsonObject[] {
  if (message.type !== STEP) return [message];
  return Array.isArray(message.content) ? message.content.filter(isJsonObject) : [];
}

export const isThoughtItem = ({ type }: JsonObject) => type === "reasoning";
export const isResultItem = ({ type }: JsonObject) => typeof type === "string" && RESULTS.test(type);
export const isCallItem = ({ type }: JsonObject) =>
  typeof type === "string" && (CALLS.has(type) || RUN_BY_CALLER.includes(type));
/** Whether an item is a call whose result can be any text. */
export const isFunctionItem = ({ type }: JsonObject) => typeof type === "string" && CALLS.has(type);
/** Whether an item is a call that the vendor ran. */
export const isRunByVendor = (item: JsonObject) =>
  typeof item.type === "string" && item.type.endsWith("_call") && !isCallItem(item);

const isMade = ({ type, role }: JsonObject) =>
  role === "assistant" || (role === undefined && typeof type === "string" && MADE.test(type));

/** Returns the input of a request as messages, with consecutive model items as one step. Returns `null` without input. */
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
 * Removes reasoning items that the vendor cannot resolve: those without content, and those whose following item is missing. The vendor
 * stores nothing. Items created with removed reasoning lose their id, because the vendor would look up the reasoning by it.
 */
function withoutLostThoughts(items: readonly JsonObject[]): JsonObject[] {
  const isWhole = ({ encrypted_content: sealed, content }: JsonObject) =>
    typeof sealed === "string" || (Array.isArray(content) && content.length > 0);
  const isSent = (item: JsonObject, at: number) =>
    !isThoughtItem(item) || (isWhole(item) && items[at + 1] !== undefined && !isThoughtItem(items[at + 1] ?? {}));
  return items.every(isSent)
    ? [...items]
    : withoutThoughtItems(
        items.filter((item, at) => !isThoughtItem(item) || isSent(item, at)),
        true,
      );
}

/** Returns the items without reasoning, or with the remaining reasoning, and without the ids that refer to reasoning. */
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

/** Returns a step without reasoning, for another model than the one that created it. */
export function withoutStepThoughts(message: JsonObject): JsonObject {
  const items = itemsOf(message);
  if (message.type !== STEP || !items.some(isThoughtItem)) return message;
  return stepOfItems(withoutThoughtItems(items, false));
}

/** Returns a step without some of its calls, and without reasoning that belongs only to them. */
export function withoutCallItems(message: JsonObject, ids: readonly string[]): JsonObject {
  const left = itemsOf(message).filter((item) => !isCallItem(item) || !ids.includes(callIdOf(item) ?? ""));
  const isLast = (at: number) => left.slice(at).every(isThoughtItem);
  return stepOfItems(
    left.filter((item, at) => !isThoughtItem(item) || !(isLast(at) || isThoughtItem(left[at + 1] ?? {}))),
  );
}

export const idOf = ({ id }: JsonObject): string | null => (typeof id === "string" ? id : null);

/** Returns the id that links a call and its result. */
export function callIdOf({ type, id, call_id: call, approval_request_id: asked }: JsonObject): string | null {
  const found = type === "mcp_approval_request" ? id : (call ?? asked);
  return typeof found === "string" ? found : null;
}

/** Returns the calls of a step that the vendor does not run itself. A call without a name has its type as name. */
export function callsInStep(message: JsonObject): MadeCall[] {
  return itemsOf(message).flatMap((entry) => {
    const id = callIdOf(entry);
    if (id === null || !isCallItem(entry)) return [];
    return [{ id, name: isFunctionItem(entry) ? String(entry.name) : String(entry.type), entry }];
  });
}

/** Returns the texts of a message's items. */
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

/** Returns the visible content of items. Clients join the texts differently, so whitespace is ignored. */
export function saidIn(items: readonly JsonObject[]): Said {
  const calls = callsInStep(stepOfItems(items)).map(({ id }) => id);
  return { text: textsIn(items).join("").replace(/\s+/g, ""), calls };
}
