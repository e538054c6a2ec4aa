// `withSkills(anthropic, chat)`: the same client, whose `messages.create` and `messages.stream` have skills.
//
// `messages` is the history that the chat keeps, and is extended in place by what the model did with skills; the last answer is left
// to the caller, as ever. Calls of the gateway's tools are run here and never seen; calls of the caller's own tools are handed out.

import { type Chat, keyOf, MOST_STEPS, type Step, type TurnStart, UNREACHABLE } from "./chat.js";
import { type Answered, added, controllerOf, promised, type RequestOptions, streamLike, withCreate } from "./wrap.js";

interface Block {
  type: string;
  id?: string;
  name?: string;
  tool_use_id?: string;
  content?: unknown;
  cache_control?: unknown;
  [field: string]: unknown;
}

interface Message {
  role: string;
  content: string | Block[];
  /** By which a text of the gateway's is found again. Kept in the history, never sent to the model. */
  skill_append_id?: string;
  /** A step whose answer the caller has not given back yet. */
  skill_step?: true;
  /** The user's message of a turn that was taken without skills. */
  skill_outage?: true;
}

interface Tool {
  name?: string;
  cache_control?: unknown;
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
    stop_reason?: string | null;
  };
  usage?: object;
}

/** What this adapter asks of a client of `@anthropic-ai/sdk`. */
interface Client {
  messages: { create: (...given: never[]) => unknown };
}

/** The client with skills. Nothing else of it changes. */
export function withSkills<Given extends Client>(client: Given, chat: Chat): Given {
  const ask = (body: Body, options: RequestOptions): Promise<Answered> => {
    const create = client.messages.create as (
      body: Body,
      options: RequestOptions,
    ) => { withResponse(): Promise<Answered> };
    return create.call(client.messages, body, options).withResponse();
  };
  return withCreate(client, ["messages"], (body, options = {}) => promised(answered(body as Body, options, chat, ask)));
}

type Ask = (body: Body, options: RequestOptions) => Promise<Answered>;

async function answered(body: Body, options: RequestOptions, chat: Chat, ask: Ask): Promise<Answered> {
  const controller = controllerOf(options.signal);
  const run = new Run(
    body,
    { ...options, signal: controller.signal },
    chat,
    ask,
    await begin(body, chat, controller.signal),
  );
  const first = await run.ask();
  if (!body.stream) return { ...first, data: await run.finish(first.data as Answer) };
  const events = () => run.events(first.data as AsyncIterable<StreamEvent>, controller);
  return { ...first, data: streamLike(first.data as object, events, controller) };
}

const blocksOf = ({ content }: Message): Block[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : content;
/** Whether the user has written it: neither results of tools nor the gateway. */
const isWritten = (message: Message) =>
  message.role === "user" &&
  message.skill_append_id === undefined &&
  blocksOf(message).some(({ type }) => type !== "tool_result");

/** Begins the turn of the last message of the user, or finds it, and brings the history up to date. */
async function begin({ messages, model }: Body, chat: Chat, signal: AbortSignal): Promise<TurnStart | null> {
  joinSteps(messages);
  const at = messages.findLastIndex(isWritten);
  const results = messages.flatMap((message) => blocksOf(message).filter(({ type }) => type === "tool_result"));
  const have = [
    ...results.flatMap(({ tool_use_id }) => tool_use_id ?? []),
    ...messages.flatMap(({ skill_append_id }) => skill_append_id ?? []),
  ];
  const question = messages[at];
  // Thinking is bound to the tools and the system prompt that it was thought under: within a turn these stay as they are.
  if (question?.skill_outage === true && at < messages.length - 1) return null;
  const before = messages.slice(0, Math.max(at, 0));
  if (before.some(({ skill_outage }) => skill_outage === true)) dropThinking(before);
  for (const message of before) delete message.skill_outage;
  const key = chat.options.key ?? (await keyOf(messages.filter(isWritten).map(({ content }) => content)));
  const turn = await chat.begin({ format: "anthropic", key, history: before.map(wire), have, model }, signal);
  if (turn === null) {
    dropThinking(before);
    if (question !== undefined) question.skill_outage = true;
    return null;
  }
  for (const { call_id, append_id, content } of turn.context_edits ?? []) {
    const edited =
      call_id === undefined
        ? messages.find(({ skill_append_id }) => skill_append_id === append_id)
        : results.find(({ tool_use_id }) => tool_use_id === call_id);
    if (edited !== undefined) edited.content = content;
  }
  if (turn.drop_thinking_before !== undefined) dropThinking(before);
  const { append = [], append_id } = turn;
  if (append_id === undefined || !messages.some(({ skill_append_id }) => skill_append_id === append_id))
    messages.splice(
      at + 1,
      0,
      ...append.map((message) => ({ ...(message as unknown as Message), skill_append_id: append_id })),
    );
  return turn;
}

function dropThinking(messages: Message[]): void {
  for (const message of messages)
    if (message.role === "assistant" && typeof message.content !== "string")
      message.content = message.content.filter(({ type }) => !type.endsWith("thinking"));
}

/**
 * The caller keeps an answer as it saw it: with what the model said in steps before it, and without calls that are not the caller's.
 * The history has those steps whole, so what they said is taken out of the answer, and an answer that was nothing else goes.
 */
function joinSteps(messages: Message[]): void {
  let steps: Message[] = [];
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at];
    if (message?.skill_step === true) steps.push(message);
    if (message === undefined || message.skill_step === true || (message.role === "user" && !isWritten(message)))
      continue;
    if (message.role === "assistant" && steps.length > 0) {
      const known = new Set(steps.flatMap(blocksOf).map(sameness));
      const left = blocksOf(message).filter((block) => !known.has(sameness(block)));
      if (left.length > 0) messages[at] = { ...message, content: left };
      else {
        messages.splice(at, 1);
        joinResults(messages, at--);
      }
    }
    for (const step of steps) delete step.skill_step;
    steps = [];
  }
}

/** All results of a step belong into one message. */
function joinResults(messages: Message[], at: number): void {
  const [before, after] = [messages[at - 1], messages[at]];
  if (before?.role !== "user" || after?.role !== "user" || isWritten(after)) return;
  messages.splice(at - 1, 2, { role: "user", content: [...blocksOf(before), ...blocksOf(after)] });
}

const sameness = ({ type, id, text, thinking, signature, data }: Block) =>
  JSON.stringify([type, id, text, thinking, signature, data]);

/** A message as the vendor takes it. */
function wire({ skill_append_id: _, skill_step: __, skill_outage: ___, ...message }: Message): Message {
  return message;
}

const isMarked = (value: unknown) =>
  typeof value === "object" && value !== null && "cache_control" in value && value.cache_control != null;
/** The vendor takes no more marks in a request. */
const MOST_MARKS = 4;

class Run {
  readonly #body: Body;
  readonly #options: RequestOptions & { signal: AbortSignal };
  readonly #chat: Chat;
  readonly #ask: Ask;
  readonly #turn: TurnStart | null;
  #front: { prompt: { system: string; messages: unknown[] }; tools: unknown[] } | null;
  #ours: ReadonlySet<string> = new Set();
  #steps = 0;

  constructor(
    body: Body,
    options: RequestOptions & { signal: AbortSignal },
    chat: Chat,
    ask: Ask,
    turn: TurnStart | null,
  ) {
    this.#body = body;
    this.#options = options;
    this.#chat = chat;
    this.#ask = ask;
    this.#turn = turn;
    this.#front = turn;
    this.#learn();
  }

  ask(): Promise<Answered> {
    const body = { ...this.#body, messages: this.#body.messages.map(wire) };
    if (this.#front === null) return this.#ask(body, this.#options);
    const { prompt, tools } = this.#front;
    const marks = this.#marks();
    const own = typeof body.system === "string" ? [{ type: "text", text: body.system }] : (body.system ?? []);
    const system = [...own, ...(prompt.system === "" ? [] : [{ type: "text", text: prompt.system, ...marks.system }])];
    const all = [...(tools as Tool[]), ...(body.tools ?? [])];
    return this.#ask(
      {
        ...marks.conversation,
        ...body,
        ...(system.length === 0 ? {} : { system }),
        ...(all.length === 0
          ? {}
          : { tools: all.map((tool, index) => (index === all.length - 1 ? { ...marks.tools, ...tool } : tool)) }),
        messages: [...(prompt.messages as Message[]), ...body.messages],
      },
      this.#options,
    );
  }

  /** The gateway's marks, as many as the caller's own leave room for: what saves most goes first. */
  #marks(): Record<"conversation" | "system" | "tools", { cache_control?: unknown }> {
    const { system, tools = [], messages, cache_control } = this.#body;
    const theirs = [
      ...(typeof system === "string" ? [] : (system ?? [])),
      ...tools,
      ...messages.flatMap(blocksOf),
      { cache_control },
    ];
    let room = MOST_MARKS - theirs.filter(isMarked).length;
    const given = (name: "conversation" | "system" | "tools") => {
      const mark = this.#turn?.cache_control?.[name];
      return mark === undefined || room-- <= 0 ? {} : { cache_control: mark };
    };
    return { conversation: given("conversation"), system: given("system"), tools: given("tools") };
  }

  /** Takes all steps that are the gateway's own, and answers with what is the caller's. */
  async finish(first: Answer): Promise<Answer> {
    let answer = first;
    let usage: unknown = first.usage;
    for (;;) {
      const ours = this.#oursIn(answer.content);
      if (ours.length === 0 || answer.stop_reason === "max_tokens") break;
      await this.#step(answer.content, ours, answer.usage);
      const shown = answer.content.filter((block) => !ours.includes(block));
      if (shown.some(({ type }) => type === "tool_use")) {
        answer = { ...answer, content: shown };
        break;
      }
      answer = (await this.ask()).data as Answer;
      usage = added(usage, answer.usage);
    }
    return { ...answer, ...(usage === undefined ? {} : { usage: usage as object }) };
  }

  /** The same as a stream: one message, with the blocks of all steps but the gateway's calls. */
  async *events(first: AsyncIterable<StreamEvent>, controller: AbortController): AsyncGenerator<StreamEvent> {
    let source = first;
    let next = 0;
    let begun = false;
    let usage: unknown;
    let whole = false;
    try {
      for (;;) {
        const content: Block[] = [];
        const json = new Map<number, string>();
        const shown = new Map<number, number>();
        let spent: object | undefined;
        let end: StreamEvent | null = null;
        for await (const event of source) {
          const { type, index = 0 } = event;
          if (type === "message_start") spent = event.message?.usage;
          if (type === "message_start" && begun) continue;
          begun ||= type === "message_start";
          if (type === "content_block_start" && event.content_block !== undefined) {
            content[index] = { ...event.content_block };
            if (!this.#isOurs(event.content_block)) shown.set(index, next++);
          }
          if (type === "content_block_delta") grow(content[index], event.delta ?? {}, index, json);
          if (type === "message_delta") {
            spent = { ...spent, ...event.usage };
            usage = added(usage, event.usage);
            end = event;
          }
          if (type === "message_delta" || type === "message_stop") continue;
          if (!type.startsWith("content_block")) yield event;
          else if (shown.has(index)) yield { ...event, index: shown.get(index) };
        }
        for (const [index, text] of json) Object.assign(content[index] ?? {}, { input: parse(text) });
        const ours = this.#oursIn(content);
        const goesOn = ours.length > 0 && end !== null && end.delta?.stop_reason !== "max_tokens";
        if (goesOn) await this.#step(content, ours, spent);
        if (!goesOn || content.some((block) => block.type === "tool_use" && !ours.includes(block))) {
          whole = true;
          if (end !== null) yield { ...end, usage: usage as object };
          if (end !== null) yield { type: "message_stop" };
          return;
        }
        source = (await this.ask()).data as AsyncIterable<StreamEvent>;
      }
    } catch (error) {
      // As the vendor's own stream: who has ended it is not told that it ended.
      if (!controller.signal.aborted) throw error;
    } finally {
      // Whoever stops reading leaves: what still runs is of no use.
      if (!whole) controller.abort();
    }
  }

  /** Runs the gateway's calls of a step, and adds the step to the history. */
  async #step(content: Block[], ours: Block[], usage: object | undefined): Promise<void> {
    if (++this.#steps > MOST_STEPS) throw new Error(`The model called skills ${MOST_STEPS} times in one turn`);
    const step = await this.#chat.run(ours, "anthropic", this.#options.signal, usage);
    const results =
      step === null
        ? ours.map(({ id = "" }) => ({ type: "tool_result", tool_use_id: id, content: UNREACHABLE, is_error: true }))
        : (step.messages as unknown as Message[]).flatMap(blocksOf);
    this.#body.messages.push({ role: "assistant", content, skill_step: true }, { role: "user", content: results });
    if (step !== null) this.#learn(step);
  }

  #learn(step?: Step): void {
    if (step?.prompt !== undefined && step.tools !== undefined)
      this.#front = { prompt: step.prompt, tools: step.tools };
    const names = (tools: unknown[]) => (tools as Tool[]).flatMap(({ name }) => name ?? []);
    this.#ours = new Set(names(this.#front?.tools ?? []));
    const both = names(this.#body.tools ?? []).filter((name) => this.#ours.has(name));
    if (both.length > 0)
      throw new TypeError(`Both this chat and its skills have a tool named ${both.join(", ")}: rename yours`);
  }

  #isOurs({ type, name = "" }: Block): boolean {
    return type === "tool_use" && this.#ours.has(name);
  }

  #oursIn(content: Block[]): Block[] {
    return content.filter((block) => this.#isOurs(block));
  }
}

/** Adds what a delta says to its block. */
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
  if (delta.partial_json !== undefined) json.set(index, `${json.get(index) ?? ""}${delta.partial_json}`);
}

function parse(text: string): unknown {
  try {
    return text === "" ? {} : JSON.parse(text);
  } catch {
    return {};
  }
}
