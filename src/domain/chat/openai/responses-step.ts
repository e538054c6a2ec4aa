// One step of a streamed response while it comes in, and how its events are written.

import { isJsonObject, type JsonObject, type JsonValue } from "../../json";
import type { StepEnd } from "../protocol";
import type { ChatRefusal } from "../refusal";
import { isThoughtItem, textsIn } from "./items";

export interface ItemState {
  item: JsonObject;
  /** Its number in the answer; `null`: it is ours, or not handed out yet. */
  shown: number | null;
  /** What of its text was given out so far, while it is being said. */
  said: string;
}

export const newItem = (): ItemState => ({ item: {}, shown: null, said: "" });

/** What was given out of these items. Of one that is not whole yet there is its text. */
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
  /** The response as the vendor said it last. */
  response: JsonObject;
  /** The event that ended it. */
  last: JsonObject | null;
  /** Events that wait: of the caller's calls for the end, of thoughts for what they lead to, of texts where only the last counts. */
  held: HeldEvent[];
}

export const newResponseStep = (): ResponseStepState => ({
  ...{ items: new Map<number, ItemState>(), response: {}, last: null, held: [] },
});

/** An event as it is sent. */
export const asEvent = (event: JsonObject) => `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`;

/** Keeps an event for later, and tells what is kept more by it: pieces of one text become one. */
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

/** How a step ended. */
export function stepEndOf(
  { last, response: { incomplete_details: details } }: ResponseStepState,
  calls: boolean,
): StepEnd {
  if (last === null) return "broken";
  if (last.type === "response.completed") return calls ? "calls" : "stop";
  return isJsonObject(details) && details.reason === "content_filter" ? "refused" : "length";
}

/** Takes the thoughts that were held last, which lead to what comes now. */
export function takeLastThoughts(held: HeldEvent[]): HeldEvent[] {
  const at = held.findLastIndex(({ state }) => !isThoughtItem(state.item));
  return held.splice(at + 1);
}

/** Whether a thought led to something that is shown, or to nothing at all. */
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

/** The events of a message of text that was made before, as if it were said now. */
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

/** Why a response failed, in the vendor's words. */
export function failureOf({ status, message, body }: ChatRefusal): JsonObject {
  const told = isJsonObject(body?.error) ? body.error : null;
  const code = status === 429 ? "rate_limit_exceeded" : status < 500 ? "invalid_prompt" : "server_error";
  return { code: told?.code ?? code, message: told?.message ?? message };
}

/** What a response says back of its request, as the caller asked it: nothing of ours. */
export function asAsked(response: JsonObject, body: JsonObject, isTheirs: (name: string) => boolean): JsonObject {
  const next: JsonObject = { ...response };
  const say = (field: string, value: JsonValue) => {
    if (field in next) next[field] = value;
  };
  if (Array.isArray(next.tools))
    next.tools = next.tools.filter(
      (tool) => !isJsonObject(tool) || typeof tool.name !== "string" || isTheirs(tool.name),
    );
  say("tool_choice", body.tool_choice ?? "auto");
  for (const field of ["max_output_tokens", "max_tool_calls", "prompt_cache_key", "instructions"])
    say(field, body[field] ?? null);
  return next;
}

/** The response of an answer: the last step's, with the first one's id and time. */
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

/** The events without which no item is in an answer. */
export const ADDED = ["response.output_item.added", "response.output_item.done"];

/** Items of a response that no event was about. */
export function untoldItems({ output }: JsonObject, told: ReadonlyMap<number, ItemState>) {
  return (Array.isArray(output) ? output : []).flatMap((item, index) =>
    isJsonObject(item) && !told.has(index) ? [{ index, item }] : [],
  );
}

/** What an event says that went wrong. */
export function errorIn({ type: _, sequence_number: __, error, response, ...fields }: JsonObject): JsonObject {
  if (isJsonObject(response)) return isJsonObject(response.error) ? response.error : {};
  return isJsonObject(error) ? error : fields;
}
