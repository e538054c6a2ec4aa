// Defines the interface between the loop and a vendor's protocol: reading a request, writing the request of a step, and merging steps into
// one answer.

import { isJsonObject, type JsonObject, type JsonValue } from "../json";
import type { StreamEvent } from "../servers/event-stream";
import type { Format } from "../tools/formats";
import type { DemoMove } from "./demo";
import type { ChatApi } from "./model-entry";
import type { ChatRefusal } from "./refusal";

/** The visible content of an assistant message. */
export interface Said {
  text: string;
  /** Ids of calls of the caller's tools. */
  calls: string[];
}

/** A message, reduced to the data that determines its position in a chat. */
export type Entry = { role: "user" | "results" | "other" } | { role: "assistant"; said: Said };

export interface MadeCall {
  id: string;
  name: string;
  /** As the vendor wrote it. */
  entry: JsonObject;
}

/** The parts of one step's request. */
export interface StepParts {
  /** The model's name at the vendor. */
  model: string;
  system: string;
  /** The gateway's tools, in the vendor's format. */
  tools: readonly JsonObject[];
  /** The caller's messages with all hidden messages inserted, and the steps of this turn. */
  messages: readonly JsonObject[];
  /** If true, the gateway's tools must not be called any more. */
  isLast: boolean;
  /** Tokens that earlier steps used of the caller's limit. */
  spent: number;
  singleSystem: boolean;
  /** Cache key, shared by requests with the same prefix. */
  cacheKey: string | null;
}

/** How a step ended. `broken`: the stream ended early. */
export type StepEnd = "stop" | "calls" | "length" | "refused" | "pause" | "broken";

export interface MergerOptions {
  isTheirs(name: string): boolean;
  /** Whether `usage` is the sum of all steps or the last step's. */
  usage: "sum" | "last";
}

/** Merges the streams of all steps into one answer. Methods that return a string return the data to send to the caller. */
export interface Merger {
  /** Processes an event of the current step. Throws `ChatRefusal` if the vendor reports a failure in the stream. */
  push(event: StreamEvent): string;
  /** Adds a stored step of an earlier attempt. */
  replay(message: JsonObject): void;
  /** Ends a step whose calls were run by the gateway. Another step follows. */
  inner(): string;
  /** Ends the answer: the caller's calls, the stop reason, the usage. */
  finish(): string;
  fail(refusal: ChatRefusal): string;
  /** Whether only the last step's text is sent, because texts of two steps cannot be joined. */
  readonly holdsText: boolean;
  /** Sent while there is no other data. */
  readonly keepAlive: string;
  /** The current or last step, in the form in which it is stored in the history. */
  readonly message: JsonObject;
  readonly calls: MadeCall[];
  readonly end: StepEnd;
  /** Tokens of all steps: `all` is input and output. */
  readonly tokens: { all: number; output: number };
  /** The usage of the current or last step, as the vendor reported it; `null` if it reported none. */
  readonly stepUsage: JsonObject | null;
  readonly said: Said;
  /** Ids of the last sent part, in protocols whose parts have ids. */
  readonly lastIds?: readonly string[];
  /** The sent content of the current step so far, in protocols whose parts have ids. */
  readonly shown?: readonly JsonObject[];
  /** Returns the whole answer, for requests without a stream. */
  whole(): JsonObject;
}

/** Implements references to stored answers in the gateway, in place of the vendor. */
export interface Items {
  /** Returns the request with storage at the vendor disabled. Rejects features that depend on storage. */
  stateless(body: JsonObject): JsonObject;
  /** Whether the caller expects its answer to be stored. */
  isKept(body: JsonObject): boolean;
  /** Returns the ids of items that a request references without their content. */
  named(body: JsonObject): string[];
  /** Returns the request with these items in place of their ids. Rejects an id that is not among them. */
  filled(body: JsonObject, items: readonly JsonObject[]): JsonObject;
  /** Returns the id of the last item of an answer in a request. */
  last(body: JsonObject): string | null;
}

/** The vendor's endpoint for counting input tokens. */
export interface Counting {
  /** Appended to the model's URL. */
  readonly path: string;
  /** Returns the count request for a step. */
  body(step: JsonObject): JsonObject;
  /** Returns the scripted model's answer. */
  demo(body: JsonObject): JsonObject;
}

export interface Protocol {
  readonly api: ChatApi;
  readonly format: Format;
  /** Appended to the model's URL. */
  readonly path: string;
  /** The field with the messages. */
  readonly field: "messages" | "input";
  /** The field that limits the output. */
  readonly outputField: string;
  /** Returns the headers that authenticate with a key. */
  keyHeaders(key: string): Record<string, string>;
  /** Returns the messages of a request, or `null` without any. */
  messages(body: JsonObject): JsonObject[] | null;
  entry(message: JsonObject): Entry;
  /** Returns the text of an answer. */
  textOf(message: JsonObject): string;
  /** Whether the model ignores everything before a message because the message is a summary of it. */
  isSummary(message: JsonObject): boolean;
  /** Returns the names of the caller's tools. */
  toolNames(body: JsonObject): string[];
  /** Returns a keyword with the reason why a request is forwarded unchanged, or `null` if skills are added. */
  bypass(body: JsonObject): string | null;
  /** Returns `metadata.conversation_id` of a request. */
  conversationIn(body: JsonObject): unknown;
  stepBody(body: JsonObject, parts: StepParts): JsonObject;
  /**
   * Appends the rest of the caller's request to stored messages. Results of one step are in the order of its calls, and missing ones are
   * added.
   */
  join(stored: readonly JsonObject[], rest: readonly JsonObject[]): JsonObject[];
  callsIn(message: JsonObject): MadeCall[];
  /** Returns the message without unanswered calls. */
  withoutCalls(message: JsonObject, ids: readonly string[]): JsonObject;
  /** Returns a stored message without reasoning, for another model or after a change to earlier messages. */
  withoutThoughts(message: JsonObject): JsonObject;
  /** Returns the message with another text as the result of a call, or `null` if it has no such result. */
  withResult(message: JsonObject, callId: string, text: string): JsonObject | null;
  merger(body: JsonObject, options: MergerOptions): Merger;
  /** Returns an answer of the scripted model, or a text of the gateway as an answer. */
  demo(body: JsonObject, move: DemoMove, id: string): string;
  readonly items?: Items;
  readonly counting?: Counting;
  /** Returns a request without features that some models do not support, or `null` if it uses none or was rejected for another reason. */
  lesser?(body: JsonObject, refusal: ChatRefusal | null): JsonObject | null;
  /** Returns a stream event with the loaded skills, for clients that request it. */
  skillsEvent(names: readonly string[]): string;
}

/**
 * Returns the reason why the gateway's tools cannot be called under the caller's tool choice. `tool_choice`: it excludes all tools or
 * forces one of the caller's. `unknown_tool`: it forces a tool that does not exist, which the vendor rejects. `null`: the gateway's tools
 * can be called.
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

/** Returns a text in the form that is hashed: clients trim and join whitespace differently. */
export const canonicalText = (text: string) => text.replace(/\s+/g, " ").trim();
