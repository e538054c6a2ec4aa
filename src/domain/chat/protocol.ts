// What the loop asks of a vendor's protocol: to read a request, to write the request of a step, and to make one answer out of many.

import { isJsonObject, type JsonObject, type JsonValue } from "../json";
import type { StreamEvent } from "../servers/event-stream";
import type { Format } from "../tools/formats";
import type { DemoMove } from "./demo";
import type { ChatApi } from "./model-entry";
import type { ChatRefusal } from "./refusal";

/** What of an assistant message its reader sees. */
export interface Said {
  text: string;
  /** Ids of calls of the caller's own tools. */
  calls: string[];
}

/** A message as far as it matters where in a chat it stands. */
export type Entry = { role: "user" | "results" | "other" } | { role: "assistant"; said: Said };

export interface MadeCall {
  id: string;
  name: string;
  /** As the vendor wrote it. */
  entry: JsonObject;
}

/** One step of the loop, as it is sent. */
export interface StepParts {
  /** The model's name at its vendor. */
  model: string;
  system: string;
  /** Ours, in the vendor's form. */
  tools: readonly JsonObject[];
  /** The caller's messages with everything hidden at its place, and the steps of this turn. */
  messages: readonly JsonObject[];
  /** No call of ours is wanted any more. */
  isLast: boolean;
  /** Tokens that the steps before have used of what the caller allows. */
  spent: number;
  singleSystem: boolean;
  /** What the same beginnings share. */
  cacheKey: string | null;
}

/** How a step ended. `broken`: the stream did not come to its end. */
export type StepEnd = "stop" | "calls" | "length" | "refused" | "pause" | "broken";

export interface MergerOptions {
  isTheirs(name: string): boolean;
  /** Whether `usage` is that of all steps or of the last. */
  usage: "sum" | "last";
}

/** Makes one answer out of the steps' streams. Each method returns what the caller is sent. */
export interface Merger {
  /** An event of the step that runs. Throws `ChatRefusal` where the vendor says in its stream that it failed. */
  push(event: StreamEvent): string;
  /** A step of an earlier attempt, as it was stored. */
  replay(message: JsonObject): void;
  /** Ends a step whose calls were run here. Another one follows. */
  inner(): string;
  /** Ends the answer: the caller's calls, the reason, the usage. */
  finish(): string;
  fail(refusal: ChatRefusal): string;
  /** Sent while nothing else is. */
  readonly keepAlive: string;
  /** The step that runs, or has just ended, as it goes into the history. */
  readonly message: JsonObject;
  readonly calls: MadeCall[];
  readonly end: StepEnd;
  /** Tokens of all steps: read and written, and written alone. */
  readonly tokens: { all: number; output: number };
  readonly said: Said;
  /** Where parts of an answer have ids: those of the last part that was given out. */
  readonly lastIds?: readonly string[];
  /** Where parts of an answer have ids: what was given out of the step that runs, as far as it came. */
  readonly shown?: readonly JsonObject[];
  /** The whole answer, for who did not ask for a stream. */
  whole(): JsonObject;
}

/** What is done here in the place of a vendor that could keep answers. */
export interface Items {
  /** The request with nothing kept at the vendor. Refuses what only makes sense with something kept there. */
  stateless(body: JsonObject): JsonObject;
  /** Whether the caller counts on its answer being kept. */
  isKept(body: JsonObject): boolean;
  /** The ids of items that a request names in place of their content. */
  named(body: JsonObject): string[];
  /** The request with these items in place of their ids. Refuses an id that is not among them. */
  filled(body: JsonObject, items: readonly JsonObject[]): JsonObject;
  /** The id of the last item of an answer in a request. */
  last(body: JsonObject): string | null;
}

/** How a vendor counts what a request would cost to read. */
export interface Counting {
  /** Behind the model's address. */
  readonly path: string;
  /** The request of a step as it is counted. */
  body(step: JsonObject): JsonObject;
  /** The scripted model's answer. */
  demo(body: JsonObject): JsonObject;
}

export interface Protocol {
  readonly api: ChatApi;
  readonly format: Format;
  /** Behind the model's address. */
  readonly path: string;
  /** What has the messages. */
  readonly field: "messages" | "input";
  /** What bounds an answer. */
  readonly outputField: string;
  /** How the key is sent. */
  keyHeaders(key: string): Record<string, string>;
  /** The messages of a request; `null` where there are none. */
  messages(body: JsonObject): JsonObject[] | null;
  entry(message: JsonObject): Entry;
  /** The text of an answer as it is written. */
  textOf(message: JsonObject): string;
  /** Whether the model reads nothing of what stands before a message: it has a summary of that. */
  isSummary(message: JsonObject): boolean;
  /** Names of the caller's own tools. */
  toolNames(body: JsonObject): string[];
  /** Why a request goes to the model as it is, in a word; `null` where skills are added. */
  bypass(body: JsonObject): string | null;
  /** What a request says of itself under `metadata`. */
  conversationIn(body: JsonObject): unknown;
  stepBody(body: JsonObject, parts: StepParts): JsonObject;
  /** Stored messages and what the caller's request has behind them: results of one step in the order of its calls, none missing. */
  join(stored: readonly JsonObject[], rest: readonly JsonObject[]): JsonObject[];
  callsIn(message: JsonObject): MadeCall[];
  /** The message without calls that nobody has answered. */
  withoutCalls(message: JsonObject, ids: readonly string[]): JsonObject;
  /** A stored message for another model than made it, or after what stood before it has changed. */
  withoutThoughts(message: JsonObject): JsonObject;
  /** The message with another text as the result of a call; `null` where it has none. */
  withResult(message: JsonObject, callId: string, text: string): JsonObject | null;
  merger(body: JsonObject, options: MergerOptions): Merger;
  /** An answer of the scripted model. */
  demo(body: JsonObject, move: DemoMove, id: string): string;
  readonly items?: Items;
  readonly counting?: Counting;
  /** A request without what some models do not take; `null`: it asks for nothing of it, or it was refused for something else. */
  lesser?(body: JsonObject, refusal: ChatRefusal | null): JsonObject | null;
  /** For a client that wants to know: the skills that are loaded now, as an event of its stream. */
  skillsEvent(names: readonly string[]): string;
}

/**
 * Why ours are not called under a choice of tools that the caller makes. `tool_choice`: it wants none, or one of its own.
 * `unknown_tool`: it wants one that it does not have, which is for the vendor to refuse. `null`: ours may be called.
 *
 * @param names of the caller's tools
 */
export function bypassOfChoice(choice: JsonValue | undefined, names: readonly unknown[]): string | null {
  if (choice === "none") return "tool_choice";
  if (choice === "required") return names.length === 0 ? "unknown_tool" : null;
  if (!isJsonObject(choice)) return null;
  const { name } = [choice.function, choice.custom].find((named) => isJsonObject(named)) ?? choice;
  return name === undefined || names.includes(name) ? "tool_choice" : "unknown_tool";
}

/** A text as its digest reads it: front ends trim and join in their own ways. */
export const canonicalText = (text: string) => text.replace(/\s+/g, " ").trim();
