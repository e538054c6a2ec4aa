// Adds skills to the Chat Completions API.

import { type Api, type Kept, type Reader, wire } from "./api.js";
import { UNREACHABLE } from "./chat.js";

interface Call {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
}

interface Message extends Kept {
  role: string;
  content?: unknown;
  tool_calls?: Call[];
  tool_call_id?: string;
}

interface Body {
  messages: Message[];
  model: string;
  tools?: unknown[];
  stream?: boolean | null;
  n?: number | null;
  prompt_cache_key?: string;
  [field: string]: unknown;
}

interface Completion {
  choices: { message: Message; finish_reason: string | null }[];
  usage?: object;
}

interface Chunk {
  id?: string;
  choices: { index: number; delta: Delta; finish_reason: string | null }[];
  usage?: object | null;
}

interface Delta {
  content?: string | null;
  tool_calls?: { index: number; id?: string; function?: { name?: string; arguments?: string } }[];
  [field: string]: unknown;
}

export const completions: Api<Body, Message, Call, Completion, Chunk> = {
  format: "openai",
  path: ["chat", "completions"],
  historyOf({ messages, n }) {
    if ((n ?? 1) !== 1) throw new TypeError("`n` is not supported with skills. Remove it.");
    return messages;
  },
  isWritten: ({ role }) => role === "user",
  answersIn: ({ tool_call_id }) => (tool_call_id === undefined ? [] : [tool_call_id]),
  edit(message, _, text) {
    message.content = text;
  },
  left(given, steps) {
    if (given.role !== "assistant") return given;
    const known = new Set(steps.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id)));
    const said = steps.map(({ content }) => (typeof content === "string" ? content : "")).join("");
    const { content, tool_calls: calls, ...rest } = given;
    const theirs = calls?.filter(({ id }) => !known.has(id));
    const text = typeof content === "string" && content.startsWith(said) ? content.slice(said.length) : content;
    if (calls?.length ? theirs?.length === 0 : text === "" && content !== "") return null;
    return { ...rest, content: text === "" ? null : text, ...(theirs?.length ? { tool_calls: theirs } : {}) };
  },
  request({ messages, tools = [], ...rest }, turn, front) {
    const all = [...(front?.tools ?? []), ...tools];
    return {
      ...(turn?.prompt_cache_key === undefined ? {} : { prompt_cache_key: turn.prompt_cache_key }),
      ...rest,
      messages: [...((front?.prompt.messages ?? []) as unknown as Message[]), ...messages.map(wire)],
      ...(all.length === 0 ? {} : { tools: all }),
    };
  },
  nameOf: (tool) => (tool as { function?: { name?: string } }).function?.name,
  callName: (call) => call.function.name,
  read({ choices: [choice], usage }) {
    const calls = choice?.message.tool_calls ?? [];
    return { messages: choice === undefined ? [] : [choice.message], calls, isCut: isCut(choice), usage };
  },
  shown(completion, isOurs, usage) {
    const choices = completion.choices.map((choice) => {
      const { tool_calls: calls = [], ...message } = choice.message;
      const theirs = calls.filter((call) => !isOurs(call));
      return theirs.length === calls.length
        ? choice
        : { ...choice, message: theirs.length === 0 ? message : { ...message, tool_calls: theirs } };
    });
    return { ...completion, choices, ...(usage === undefined ? {} : { usage }) };
  },
  results: (messages) => messages as unknown as Message[],
  unreachable: (calls) => calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: UNREACHABLE })),
  reader: (isOurs) => new ChunkReader(isOurs),
};

/** An answer without a finish reason is incomplete, so its calls are not run. */
const isCut = (choice: { finish_reason: string | null } | undefined) =>
  (choice?.finish_reason ?? "length") === "length";

class ChunkReader implements Reader<Chunk, Completion> {
  readonly #isOurs: (name: string) => boolean;
  #id: string | undefined;
  #said: string | null = null;
  #calls = new Map<number, Call>();
  /** The chunks that end the answer: finish reason and usage. They are held until no step follows. */
  #end: Chunk | null = null;
  #told: Chunk | null = null;

  constructor(isOurs: (name: string) => boolean) {
    this.#isOurs = isOurs;
  }

  begin(): void {
    this.#said = null;
    this.#calls = new Map();
    this.#end = null;
    this.#told = null;
  }

  read(chunk: Chunk): Chunk[] {
    this.#id ??= chunk.id;
    if (chunk.usage) this.#told = { ...chunk, id: this.#id };
    const [choice] = chunk.choices;
    if (choice === undefined) return [];
    if (choice.delta.content) this.#said = `${this.#said ?? ""}${choice.delta.content}`;
    const delta = this.#shown(choice.delta);
    const shown = { ...chunk, id: this.#id, choices: [{ ...choice, delta }] };
    if (choice.finish_reason === null || choice.finish_reason === undefined)
      return Object.keys(delta).length > 0 ? [shown] : [];
    this.#end = shown;
    return [];
  }

  take(): Completion | null {
    const [last] = this.#end?.choices ?? [];
    if (last === undefined) return null;
    const calls = [...this.#calls.values()];
    const message = { role: "assistant", content: this.#said, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
    const usage = this.#told?.usage ?? undefined;
    return { choices: [{ message, finish_reason: last.finish_reason }], ...(usage === undefined ? {} : { usage }) };
  }

  end(usage: object | undefined): Chunk[] {
    const total = (chunk: Chunk | null) =>
      chunk === null ? [] : [chunk.usage && usage !== undefined ? { ...chunk, usage } : chunk];
    return [...total(this.#end), ...total(this.#told?.choices.length === 0 ? this.#told : null)];
  }

  /** Returns a delta for the caller: only calls of its own tools, with consecutive indexes. */
  #shown({ tool_calls, ...delta }: Delta): Delta {
    const theirs: NonNullable<Delta["tool_calls"]> = [];
    for (const piece of tool_calls ?? []) {
      const call = this.#calls.get(piece.index) ?? {
        id: piece.id ?? "",
        type: "function",
        function: { name: "", arguments: "" },
      };
      this.#calls.set(piece.index, call);
      call.function.name += piece.function?.name ?? "";
      call.function.arguments += piece.function?.arguments ?? "";
      if (this.#isOurs(call.function.name)) continue;
      const index = [...this.#calls.values()].filter((one) => !this.#isOurs(one.function.name)).indexOf(call);
      theirs.push({ ...piece, index });
    }
    return theirs.length === 0 ? delta : { ...delta, tool_calls: theirs };
  }
}
