// `withSkills(anthropic, chat)`: returns the client with skills in `messages.create` and `messages.stream`.

import { type Api, type Kept, type Reader, wire } from "./api.js";
import { type Chat, UNREACHABLE } from "./chat.js";
import { withApi } from "./run.js";

interface Block {
  type: string;
  id?: string;
  name?: string;
  tool_use_id?: string;
  content?: unknown;
  cache_control?: unknown;
  [field: string]: unknown;
}

interface Message extends Kept {
  role: string;
  content: string | Block[];
}

interface Tool {
  name?: string;
  cache_control?: unknown;
  [field: string]: unknown;
}

interface Body {
  messages: Message[];
  model: string;
  system?: string | Block[];
  tools?: Tool[];
  stream?: boolean;
  cache_control?: unknown;
  [field: string]: unknown;
}

interface Answer {
  content: Block[];
  stop_reason: string | null;
  usage?: object;
}

interface StreamEvent {
  type: string;
  index?: number;
  message?: Answer;
  content_block?: Block;
  delta?: {
    type?: string;
    text?: string;
    thinking?: string;
    signature?: string;
    partial_json?: string;
    citation?: unknown;
    stop_reason?: string | null;
  };
  usage?: object;
}

/** The part of an `@anthropic-ai/sdk` client that this adapter uses. */
interface Client {
  messages: { create: (...given: never[]) => unknown };
}

/** Returns the client with skills. Other methods do not change. */
export function withSkills<Given extends Client>(client: Given, chat: Chat): Given {
  return withApi(client, chat, messages);
}

const blocksOf = ({ content }: Message): Block[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : content;
const isCall = ({ type }: Block) => type === "tool_use";

const messages: Api<Body, Message, Block, Answer, StreamEvent> = {
  format: "anthropic",
  path: ["messages"],
  historyOf: ({ messages: history }) => history,
  isWritten: (message) => message.role === "user" && blocksOf(message).some(({ type }) => type !== "tool_result"),
  answersIn: (message) => blocksOf(message).flatMap(({ tool_use_id }) => tool_use_id ?? []),
  edit(message, callId, text) {
    for (const block of blocksOf(message)) if (block.tool_use_id === callId) block.content = text;
  },
  left(given, steps) {
    const known = new Set(steps.flatMap(blocksOf).map(sameness));
    const content = blocksOf(given).filter((block) => !known.has(sameness(block)));
    return content.length === 0 ? null : { ...given, content };
  },
  // All results of a step must be in one message.
  joined: (before, after) =>
    hasResultsOnly(before) && hasResultsOnly(after)
      ? { role: "user", content: [...blocksOf(before), ...blocksOf(after)] }
      : null,
  // Thinking is bound to the tools and the system prompt of its turn, so both stay unchanged within a turn.
  staysAway: (history, at) => history[at]?.skill_outage === true && at < history.length - 1,
  settle(history, at, turn) {
    const before = history.slice(0, Math.max(at, 0));
    const wasAway = before.some(({ skill_outage }) => skill_outage === true);
    for (const message of before) delete message.skill_outage;
    if (turn === null || wasAway || turn.drop_thinking_before !== undefined) dropThinking(before);
    const question = history[at];
    if (turn === null && question !== undefined) question.skill_outage = true;
  },
  request(body, turn, front) {
    const history = body.messages.map(wire);
    if (front === null) return { ...body, messages: history, ...namesOnly(body) };
    const marks = marksOf(body, turn?.cache_control);
    const own = typeof body.system === "string" ? [{ type: "text", text: body.system }] : (body.system ?? []);
    const { system: text } = front.prompt;
    const system = [...own, ...(text === "" ? [] : [{ type: "text", text, ...marks.system }])];
    const all = [...(front.tools as Tool[]), ...(body.tools ?? [])];
    return {
      ...marks.conversation,
      ...body,
      ...(system.length === 0 ? {} : { system }),
      ...(all.length === 0
        ? {}
        : { tools: all.map((tool, index) => (index === all.length - 1 ? { ...marks.tools, ...tool } : tool)) }),
      messages: [...(front.prompt.messages as unknown as Message[]), ...history],
    };
  },
  nameOf: (tool) => (tool as Tool).name,
  callName: ({ name = "" }) => name,
  read: ({ content, stop_reason, usage }) => ({
    messages: [{ role: "assistant", content }],
    calls: content.filter(isCall),
    isCut: stop_reason === "max_tokens",
    usage,
  }),
  shown: (answer, isOurs, usage) => ({
    ...answer,
    content: answer.content.filter((block) => !isCall(block) || !isOurs(block)),
    ...(usage === undefined ? {} : { usage }),
  }),
  results: (results) => [{ role: "user", content: (results as unknown as Message[]).flatMap(blocksOf) }],
  unreachable: (calls) => [
    {
      role: "user",
      content: calls.map(({ id = "" }) => ({
        ...{ type: "tool_result", tool_use_id: id, content: UNREACHABLE },
        is_error: true,
      })),
    },
  ],
  reader: (isOurs) => new EventReader(isOurs),
};

const hasResultsOnly = (message: Message) => message.role === "user" && !messages.isWritten(message);

function dropThinking(history: Message[]): void {
  for (const message of history)
    if (message.role === "assistant" && typeof message.content !== "string")
      message.content = message.content.filter(({ type }) => !type.endsWith("thinking"));
}

const sameness = ({ type, id, text, thinking, signature, data }: Block) =>
  JSON.stringify([type, id, text, thinking, signature, data]);

/**
 * Returns definitions for the tools called in the history, for a chat without tools of its own during an outage. The vendor rejects a
 * history with calls if no tool is defined. `tool_choice` prevents new calls.
 */
function namesOnly({ messages: history, tools = [] }: Body): Partial<Body> {
  const names = new Set(history.flatMap(blocksOf).flatMap((block) => (isCall(block) ? (block.name ?? []) : [])));
  if (tools.length > 0 || names.size === 0) return {};
  const description = "Not there at the moment.";
  return {
    tools: [...names].map((name) => ({ name, description, input_schema: { type: "object" } })),
    tool_choice: { type: "none" },
  };
}

const isMarked = (value: unknown) =>
  typeof value === "object" && value !== null && "cache_control" in value && value.cache_control != null;
/** The vendor's limit of cache marks in one request. */
const MOST_MARKS = 4;
type Marks = Record<"conversation" | "system" | "tools", { cache_control?: unknown }>;

/** Returns the gateway's cache marks that fit into the limit next to the caller's own. The marks that save the most are placed first. */
function marksOf({ system, tools = [], messages: history, cache_control }: Body, wanted: object | undefined): Marks {
  const theirs = [
    ...(typeof system === "string" ? [] : (system ?? [])),
    ...tools,
    ...history.flatMap(blocksOf),
    { cache_control },
  ];
  let room = MOST_MARKS - theirs.filter(isMarked).length;
  const given = (name: keyof Marks) => {
    const mark: unknown = Reflect.get(wanted ?? {}, name);
    return mark === undefined || room-- <= 0 ? {} : { cache_control: mark };
  };
  return { conversation: given("conversation"), system: given("system"), tools: given("tools") };
}

class EventReader implements Reader<StreamEvent, Answer> {
  readonly #isOurs: (name: string) => boolean;
  #hasBegun = false;
  #next = 0;
  #content: Block[] = [];
  #json = new Map<number, string>();
  /** Maps block indexes of this step to indexes in the caller's stream. */
  #places = new Map<number, number>();
  #usage: object | undefined;
  /** The event that ends the answer. It is held until no step follows. */
  #end: StreamEvent | null = null;

  constructor(isOurs: (name: string) => boolean) {
    this.#isOurs = isOurs;
  }

  begin(): void {
    this.#content = [];
    this.#json = new Map();
    this.#places = new Map();
    this.#usage = undefined;
    this.#end = null;
  }

  read(event: StreamEvent): StreamEvent[] {
    const { type, index = 0, content_block: block } = event;
    if (type === "message_start") {
      this.#usage = event.message?.usage;
      if (this.#hasBegun) return [];
      this.#hasBegun = true;
    }
    if (type === "content_block_start" && block !== undefined) {
      this.#content[index] = { ...block };
      if (!isCall(block) || !this.#isOurs(block.name ?? "")) this.#places.set(index, this.#next++);
    }
    if (type === "content_block_delta") grow(this.#content[index], event.delta ?? {}, index, this.#json);
    if (type === "message_delta") {
      this.#usage = { ...this.#usage, ...event.usage };
      this.#end = event;
    }
    if (type === "message_delta" || type === "message_stop") return [];
    if (!type.startsWith("content_block")) return [event];
    const place = this.#places.get(index);
    return place === undefined ? [] : [{ ...event, index: place }];
  }

  take(): Answer | null {
    if (this.#end === null) return null;
    for (const [index, text] of this.#json) Object.assign(this.#content[index] ?? {}, { input: parse(text) });
    return {
      content: this.#content,
      stop_reason: this.#end.delta?.stop_reason ?? null,
      ...(this.#usage === undefined ? {} : { usage: this.#usage }),
    };
  }

  end(usage: object | undefined): StreamEvent[] {
    if (this.#end === null) return [];
    return [usage === undefined ? this.#end : { ...this.#end, usage }, { type: "message_stop" }];
  }
}

/** Adds a delta to its block. */
function grow(
  block: Block | undefined,
  delta: NonNullable<StreamEvent["delta"]>,
  index: number,
  json: Map<number, string>,
): void {
  if (block === undefined) return;
  if (delta.text !== undefined) block.text = `${block.text ?? ""}${delta.text}`;
  if (delta.thinking !== undefined) block.thinking = `${block.thinking ?? ""}${delta.thinking}`;
  if (delta.signature !== undefined) block.signature = delta.signature;
  if (delta.citation !== undefined)
    block.citations = [...(Array.isArray(block.citations) ? block.citations : []), delta.citation];
  if (delta.partial_json !== undefined) json.set(index, `${json.get(index) ?? ""}${delta.partial_json}`);
}

function parse(text: string): unknown {
  try {
    return text === "" ? {} : JSON.parse(text);
  } catch {
    return {};
  }
}
