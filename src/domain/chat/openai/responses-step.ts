// State of one streamed Responses step, and the format of its events.

import { isJsonObject, type JsonObject, type JsonValue } from "../../json";
import type { StepEnd } from "../protocol";
import type { ChatRefusal } from "../refusal";
import { isThoughtItem, textsIn } from "./items";

export interface ItemState {
  item: JsonObject;
  /** The item's number in the answer. `null` if it belongs to the gateway, or is not sent yet. */
  shown: number | null;
  /** The part of its text that was sent so far, while it is streamed. */
  said: string;
}

export const newItem = (): ItemState => ({ item: {}, shown: null, said: "" });

/** Returns the sent content of these items. An incomplete item contains the text so far. */
export function shownOf(states: Iterable<ItemState>): JsonObject[] {
  return [...states].flatMap(({ item, shown, said }) => {
    if (shown === null || said === "") return shown === null || item.status === "in_progress" ? [] : [item];
    return [{ ...item, content: [{ type: "output_text", text: said, annotations: [] }] }];
  });
}

export interface HeldEvent {
  event: JsonObject;
  state: ItemState;
}

export interface ResponseStepState {
  items: Map<number, ItemState>;
  /** The most recent response object of the vendor. */
  response: JsonObject;
  /** The final event. */
  last: JsonObject | null;
  /**
   * Buffered events: of the caller's calls until the end, of reasoning until the item that follows it, and of texts if only the last one is
   * sent.
   */
  held: HeldEvent[];
}

export const newResponseStep = (): ResponseStepState => ({
  ...{ items: new Map<number, ItemState>(), response: {}, last: null, held: [] },
});

/** Formats a server-sent event. */
export const asEvent = (event: JsonObject) => `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`;

/** Buffers an event, and joins consecutive pieces of one text. Returns the data that was added to the buffer. */
export function hold(held: HeldEvent[], event: JsonObject, state: ItemState): JsonValue {
  const { delta, logprobs } = event;
  const last = held.at(-1);
  const isSame = (field: string) => last?.event[field] === event[field];
  const before = last?.state === state ? last.event.delta : undefined;
  const isMore = ["type", "content_index", "summary_index"].every(isSame);
  if (last === undefined || !isMore || typeof before !== "string" || typeof delta !== "string") {
    held.push({ event: { ...event }, state });
    return event;
  }
  last.event.delta = before + delta;
  if (Array.isArray(last.event.logprobs) && Array.isArray(logprobs)) last.event.logprobs.push(...logprobs);
  return [delta, logprobs ?? null];
}

/** Returns how a step ended. */
export function stepEndOf(
  { last, response: { incomplete_details: details } }: ResponseStepState,
  calls: boolean,
): StepEnd {
  if (last === null) return "broken";
  if (last.type === "response.completed") return calls ? "calls" : "stop";
  return isJsonObject(details) && details.reason === "content_filter" ? "refused" : "length";
}

/** Removes and returns the last buffered reasoning, which belongs to the next item. */
export function takeLastThoughts(held: HeldEvent[]): HeldEvent[] {
  const at = held.findLastIndex(({ state }) => !isThoughtItem(state.item));
  return held.splice(at + 1);
}

/** Whether reasoning is followed by an item that is sent, or by nothing. */
export function leadsToShown(
  thought: ItemState,
  items: readonly ItemState[],
  isShown: (item: JsonObject) => boolean,
): boolean {
  const behind = items.slice(items.indexOf(thought) + 1).map(({ item }) => item);
  const first = behind.findIndex((item) => !isThoughtItem(item));
  if (first === -1) return true;
  const next = behind.findIndex((item, at) => at > first && isThoughtItem(item));
  return behind.slice(first, next === -1 ? behind.length : next).some(isShown);
}

/** Returns the events for a message that was created earlier, as if it were streamed now. */
export function eventsOfText(item: JsonObject, text: string): JsonObject[] {
  const at = { item_id: item.id ?? null, content_index: 0 };
  const part = { type: "output_text", text: "", annotations: [] };
  return [
    { type: "response.output_item.added", item: { ...item, status: "in_progress", content: [] } },
    { type: "response.content_part.added", ...at, part },
    { type: "response.output_text.delta", ...at, delta: text, logprobs: [] },
    { type: "response.output_text.done", ...at, text, logprobs: [] },
    { type: "response.content_part.done", ...at, part: { ...part, text } },
    { type: "response.output_item.done", item: { ...item, content: [{ ...part, text }] } },
  ];
}

/** Returns the reason for a failed response, in the vendor's format. */
export function failureOf({ status, message, body }: ChatRefusal): JsonObject {
  const reported = isJsonObject(body?.error) ? body.error : null;
  const code = status === 429 ? "rate_limit_exceeded" : status < 500 ? "invalid_prompt" : "server_error";
  return { code: reported?.code ?? code, message: reported?.message ?? message };
}

/** Returns the response with the request's fields as the caller sent them, without the gateway's additions. */
export function asAsked(response: JsonObject, body: JsonObject, isTheirs: (name: string) => boolean): JsonObject {
  const next: JsonObject = { ...response };
  const restore = (field: string, value: JsonValue) => {
    if (field in next) next[field] = value;
  };
  if (Array.isArray(next.tools))
    next.tools = next.tools.filter(
      (tool) => !isJsonObject(tool) || typeof tool.name !== "string" || isTheirs(tool.name),
    );
  restore("tool_choice", body.tool_choice ?? "auto");
  for (const field of ["max_output_tokens", "max_tool_calls", "prompt_cache_key", "instructions"])
    restore(field, body[field] ?? null);
  return next;
}

/** Returns the merged response: the last step's, with the first one's id and time. */
export function wholeOf(response: JsonObject, start: JsonObject, output: JsonObject[], usage: JsonValue): JsonObject {
  const { id, created_at } = start;
  return {
    ...response,
    ...(id === undefined ? {} : { id }),
    ...(created_at === undefined ? {} : { created_at }),
    output,
    ...(typeof response.output_text === "string" ? { output_text: textsIn(output).join("") } : {}),
    usage,
  };
}

/** The events that every item in an answer needs. */
export const ADDED = ["response.output_item.added", "response.output_item.done"];

/** Returns the items of a response that had no event. */
export function untoldItems({ output }: JsonObject, told: ReadonlyMap<number, ItemState>) {
  return (Array.isArray(output) ? output : []).flatMap((item, index) =>
    isJsonObject(item) && !told.has(index) ? [{ index, item }] : [],
  );
}

/** Returns the error in an event. */
export function errorIn({ type: _, sequence_number: __, error, response, ...fields }: JsonObject): JsonObject {
  if (isJsonObject(response)) return isJsonObject(response.error) ? response.error : {};
  return isJsonObject(error) ? error : fields;
}
