// `withSkills(openai, chat)`: the same client, whose `chat.completions.create` has skills.
//
// `messages` is the history that the chat keeps, and is extended in place by what the model did with skills; the last answer is left
// to the caller, as ever. Calls of the gateway's tools are run here and never seen; calls of the caller's own tools are handed out.

import { type Chat, keyOf, MOST_STEPS, type Step, type TurnStart, UNREACHABLE } from "./chat.js";
import { type Answered, added, controllerOf, promised, type RequestOptions, streamLike, withCreate } from "./wrap.js";

interface Call {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
}

interface Message {
  role: string;
  content?: unknown;
  tool_calls?: Call[];
  tool_call_id?: string;
  /** By which a text of the gateway's is found again. Kept in the history, never sent to the model. */
  skill_append_id?: string;
  /** A step whose answer the caller has not given back yet. */
  skill_step?: true;
}

interface Body {
  messages: Message[];
  model: string;
  tools?: { function?: { name?: string } }[];
  stream?: boolean | null;
  n?: number | null;
  prompt_cache_key?: string;
  [field: string]: unknown;
}

interface Completion {
  choices: { message: Message; finish_reason: string }[];
  usage?: object;
}

interface Chunk {
  id?: string;
  choices: { index: number; delta: Delta; finish_reason: string | null }[];
  usage?: object | null;
}

interface Delta {
  content?: string | null;
  refusal?: string | null;
  tool_calls?: { index: number; id?: string; function?: { name?: string; arguments?: string } }[];
  [field: string]: unknown;
}

/** What this adapter asks of a client of `openai`. */
interface Client {
  chat: { completions: { create: (...given: never[]) => unknown } };
}

/** The client with skills. Nothing else of it changes. */
export function withSkills<Given extends Client>(client: Given, chat: Chat): Given {
  const ask = (body: Body, options: RequestOptions): Promise<Answered> => {
    const create = client.chat.completions.create as (
      body: Body,
      options: RequestOptions,
    ) => { withResponse(): Promise<Answered> };
    return create.call(client.chat.completions, body, options).withResponse();
  };
  return withCreate(client, ["chat", "completions"], (body, options = {}) =>
    promised(answered(body as Body, options, chat, ask)),
  );
}

type Ask = (body: Body, options: RequestOptions) => Promise<Answered>;

async function answered(body: Body, options: RequestOptions, chat: Chat, ask: Ask): Promise<Answered> {
  if ((body.n ?? 1) !== 1) throw new TypeError("With skills one answer is made at a time: leave `n` out");
  const controller = controllerOf(options.signal);
  const run = new Run(
    body,
    { ...options, signal: controller.signal },
    chat,
    ask,
    await begin(body, chat, controller.signal),
  );
  const first = await run.ask();
  if (!body.stream) return { ...first, data: await run.finish(first.data as Completion) };
  const events = () => run.chunks(first.data as AsyncIterable<Chunk>, controller);
  return { ...first, data: streamLike(first.data as object, events, controller) };
}

/** Begins the turn of the last message of the user, or finds it, and brings the history up to date. */
async function begin({ messages, model }: Body, chat: Chat, signal: AbortSignal): Promise<TurnStart | null> {
  joinSteps(messages);
  const at = messages.findLastIndex(({ role }) => role === "user");
  const written = messages.filter(({ role }) => role === "user").map(({ content }) => content);
  const have = messages.flatMap(({ tool_call_id, skill_append_id }) => tool_call_id ?? skill_append_id ?? []);
  const key = chat.options.key ?? (await keyOf(written));
  const history = messages.slice(0, Math.max(at, 0)).map(wire);
  const turn = await chat.begin({ format: "openai", key, history, have, model }, signal);
  if (turn === null) return null;
  for (const { call_id, append_id, content } of turn.context_edits ?? []) {
    const edited = messages.find((one) =>
      call_id !== undefined ? one.tool_call_id === call_id : one.skill_append_id === append_id,
    );
    if (edited !== undefined) edited.content = content;
  }
  const { append = [], append_id } = turn;
  if (append_id === undefined || !messages.some(({ skill_append_id }) => skill_append_id === append_id))
    messages.splice(
      at + 1,
      0,
      ...append.map((message) => ({ ...(message as unknown as Message), skill_append_id: append_id })),
    );
  return turn;
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
    if (message === undefined || message.skill_step === true || message.role === "tool") continue;
    if (message.role === "assistant" && steps.length > 0) {
      const known = new Set(steps.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id)));
      const said = steps.map(({ content }) => (typeof content === "string" ? content : "")).join("");
      const { content, tool_calls: calls, ...rest } = message;
      const left = calls?.filter(({ id }) => !known.has(id));
      const text = typeof content === "string" && content.startsWith(said) ? content.slice(said.length) : content;
      const gone = calls?.length ? left?.length === 0 : text === "" && content !== "";
      if (gone) messages.splice(at--, 1);
      else
        messages[at] = { ...rest, content: text === "" ? null : text, ...(left?.length ? { tool_calls: left } : {}) };
    }
    for (const step of steps) delete step.skill_step;
    steps = [];
  }
}

/** A message as the vendor takes it. */
function wire({ skill_append_id: _, skill_step: __, ...message }: Message): Message {
  return message;
}

class Run {
  readonly #body: Body;
  readonly #options: RequestOptions & { signal: AbortSignal };
  readonly #chat: Chat;
  readonly #ask: Ask;
  readonly #turn: TurnStart | null;
  /** What stands before the history, and the gateway's tools; a step may change both. */
  #front: { prompt: { messages: unknown[] }; tools: unknown[] } | null;
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
    const { messages, tools = [], prompt_cache_key = this.#turn?.prompt_cache_key, ...rest } = this.#body;
    const all = [...(this.#front?.tools ?? []), ...tools] as Body["tools"];
    return this.#ask(
      {
        ...rest,
        model: this.#body.model,
        messages: [...((this.#front?.prompt.messages ?? []) as Message[]), ...messages.map(wire)],
        ...(all?.length === 0 ? {} : { tools: all }),
        ...(prompt_cache_key === undefined ? {} : { prompt_cache_key }),
      },
      this.#options,
    );
  }

  /** Takes all steps that are the gateway's own, and answers with what is the caller's. */
  async finish(first: Completion): Promise<Completion> {
    let completion = first;
    let usage: unknown = first.usage;
    for (;;) {
      const [choice] = completion.choices;
      const { ours, theirs } = this.#split(choice?.message.tool_calls ?? []);
      if (choice === undefined || ours.length === 0 || choice.finish_reason === "length") break;
      await this.#step(choice.message, ours, completion.usage);
      if (theirs.length > 0) {
        const shown = { ...choice, message: { ...choice.message, tool_calls: theirs } };
        completion = { ...completion, choices: [shown] };
        break;
      }
      completion = (await this.ask()).data as Completion;
      usage = added(usage, completion.usage);
    }
    return { ...completion, ...(usage === undefined ? {} : { usage: usage as object }) };
  }

  /** The same as a stream: text as it comes, calls of the caller's tools, one end. */
  async *chunks(first: AsyncIterable<Chunk>, controller: AbortController): AsyncGenerator<Chunk> {
    let source = first;
    let id: string | undefined;
    let usage: unknown;
    let whole = false;
    try {
      for (;;) {
        const said: Message = { role: "assistant", content: null };
        const calls = new Map<number, Call>();
        let end: Chunk | null = null;
        let told: Chunk | null = null;
        for await (const chunk of source) {
          id ??= chunk.id;
          if (chunk.usage) {
            usage = added(usage, chunk.usage);
            told = { ...chunk, id, usage: usage as object };
          }
          const [choice] = chunk.choices;
          if (choice === undefined) continue;
          if (choice.delta.content) said.content = `${said.content ?? ""}${choice.delta.content}`;
          const shown = this.#shown(choice.delta, calls);
          const forwarded = { ...chunk, id, choices: [{ ...choice, delta: shown }] };
          if (choice.finish_reason !== null) end = forwarded;
          else if (Object.keys(shown).length > 0) yield forwarded;
        }
        const { ours, theirs } = this.#split([...calls.values()]);
        const [last] = end?.choices ?? [];
        const goesOn = ours.length > 0 && last?.finish_reason !== "length" && last !== undefined;
        if (goesOn) await this.#step({ ...said, tool_calls: [...calls.values()] }, ours, told?.usage ?? undefined);
        if (!goesOn || theirs.length > 0) {
          whole = true;
          if (end !== null) yield end;
          if (told !== null && told.choices.length === 0) yield told;
          return;
        }
        source = (await this.ask()).data as AsyncIterable<Chunk>;
      }
    } catch (error) {
      // As the vendor's own stream: who has ended it is not told that it ended.
      if (!controller.signal.aborted) throw error;
    } finally {
      // Whoever stops reading leaves: what still runs is of no use.
      if (!whole) controller.abort();
    }
  }

  /** What the caller sees of a delta: its own calls, numbered as if there were no others. */
  #shown({ tool_calls, ...delta }: Delta, calls: Map<number, Call>): Delta {
    const theirs: NonNullable<Delta["tool_calls"]> = [];
    for (const piece of tool_calls ?? []) {
      const call = calls.get(piece.index) ?? {
        id: piece.id ?? "",
        type: "function",
        function: { name: "", arguments: "" },
      };
      calls.set(piece.index, call);
      call.function.name += piece.function?.name ?? "";
      call.function.arguments += piece.function?.arguments ?? "";
      if (this.#ours.has(call.function.name)) continue;
      const index = [...calls.values()].filter((one) => !this.#ours.has(one.function.name)).indexOf(call);
      theirs.push({ ...piece, index });
    }
    return theirs.length === 0 ? delta : { ...delta, tool_calls: theirs };
  }

  /** Runs the gateway's calls of a step, and adds the step to the history. */
  async #step(message: Message, ours: Call[], usage: object | undefined): Promise<void> {
    if (++this.#steps > MOST_STEPS) throw new Error(`The model called skills ${MOST_STEPS} times in one turn`);
    const step = await this.#chat.run(ours, "openai", this.#options.signal, usage);
    const results =
      step === null ? ours.map(({ id }) => ({ role: "tool", tool_call_id: id, content: UNREACHABLE })) : step.messages;
    this.#body.messages.push({ ...message, skill_step: true }, ...(results as unknown as Message[]));
    if (step !== null) this.#learn(step);
  }

  #learn(step?: Step): void {
    if (step?.prompt !== undefined && step.tools !== undefined)
      this.#front = { prompt: step.prompt, tools: step.tools };
    const names = (tools: unknown[]) =>
      (tools as { function?: { name?: string } }[]).flatMap((tool) => tool.function?.name ?? []);
    this.#ours = new Set(names(this.#front?.tools ?? []));
    const both = names(this.#body.tools ?? []).filter((name) => this.#ours.has(name));
    if (both.length > 0)
      throw new TypeError(`Both this chat and its skills have a tool named ${both.join(", ")}: rename yours`);
  }

  #split(calls: Call[]): { ours: Call[]; theirs: Call[] } {
    const ours = calls.filter((call) => this.#ours.has(call.function.name));
    return { ours, theirs: calls.filter((call) => !ours.includes(call)) };
  }
}
