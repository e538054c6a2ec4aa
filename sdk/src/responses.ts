// Adds skills to the Responses API. The caller stores the conversation's items and sends them in `input`.

import { type Api, type Kept, type Reader, wire } from "./api.js";
import { UNREACHABLE } from "./chat.js";

interface Item extends Kept {
  type?: string;
  role?: string;
  id?: string;
  call_id?: string;
  name?: string;
  content?: unknown;
  output?: unknown;
  encrypted_content?: string | null;
  [field: string]: unknown;
}

interface Body {
  input?: string | Item[];
  model?: string;
  tools?: unknown[];
  stream?: boolean | null;
  store?: boolean | null;
  prompt_cache_key?: string;
  [field: string]: unknown;
}

interface ModelResponse {
  id: string;
  status?: string;
  output: Item[];
  output_text?: string;
  usage?: object | null;
}

interface Event {
  type: string;
  sequence_number?: number;
  output_index?: number;
  item?: Item;
  response?: ModelResponse;
}

/** Parameters that leave the history or the answer with the vendor. Skills cannot be added to either. */
const ELSEWHERE = ["previous_response_id", "conversation", "background"];

export const responses: Api<Body, Item, Item, ModelResponse, Event> = {
  format: "openai-responses",
  path: ["responses"],
  historyOf(body) {
    const not = ELSEWHERE.filter((field) => body[field] !== undefined && body[field] !== null && body[field] !== false);
    if (not.length > 0)
      throw new TypeError(
        `Stored responses are not supported with skills. Send the whole history as \`input\`, and remove ${not.join(", ")}.`,
      );
    if (!Array.isArray(body.input))
      body.input = body.input === undefined ? [] : [{ role: "user", content: body.input }];
    return body.input;
  },
  isWritten: ({ role }) => role === "user",
  answersIn: ({ type, call_id }) => (type === "function_call_output" && call_id !== undefined ? [call_id] : []),
  edit(item, _, text) {
    item.output = text;
  },
  left(given, steps) {
    const known = new Set(steps.flatMap(identity));
    if (identity(given).some((id) => known.has(id))) return null;
    if (given.role !== "assistant" || typeof given.content !== "string") return given;
    const said = textOf(steps);
    const content = given.content.startsWith(said) ? given.content.slice(said.length) : given.content;
    return content === "" && said !== "" ? null : { ...given, content };
  },
  request({ input, tools = [], ...rest }, turn, front) {
    const all = [...(front?.tools ?? []), ...tools];
    const items = (input as Item[]).map(wire);
    return {
      ...(turn?.prompt_cache_key === undefined ? {} : { prompt_cache_key: turn.prompt_cache_key }),
      ...rest,
      input: [
        ...((front?.prompt.messages ?? []) as unknown as Item[]),
        ...(rest.store === false ? withoutLostThoughts(items) : items),
      ],
      ...(all.length === 0 ? {} : { tools: all }),
    };
  },
  nameOf: (tool) => ((tool as Item).type === "function" ? (tool as Item).name : undefined),
  callName: ({ name = "" }) => name,
  read: ({ output, status, usage }) => ({
    messages: output,
    calls: output.filter(({ type }) => type === "function_call"),
    isCut: status !== "completed",
    usage,
  }),
  shown(response, isOurs, usage) {
    const output = response.output.filter(isShown(isOurs));
    return {
      ...response,
      output,
      ...(response.output_text === undefined ? {} : { output_text: textOf(output) }),
      ...(usage === undefined ? {} : { usage }),
    };
  },
  results: (messages) => messages as unknown as Item[],
  unreachable: (calls) =>
    calls.map(({ call_id = "" }) => ({ type: "function_call_output", call_id, output: UNREACHABLE })),
  reader: (isOurs) => new ItemReader(isOurs),
};

/** Returns the id by which an item is recognized. Callers often return a call without its item id, so `call_id` is used for calls. */
const identity = ({ type, id, call_id }: Item): string[] =>
  type === "function_call" ? [`call ${call_id}`] : id === undefined ? [] : [id];

const textOf = (items: Item[]): string =>
  items
    .filter(({ type }) => type === "message")
    .flatMap(({ content }) => (Array.isArray(content) ? (content as { type?: string; text?: string }[]) : []))
    .map(({ type, text }) => (type === "output_text" ? text : ""))
    .join("");

/** Hides the gateway's calls and the reasoning that led to them. The vendor rejects such reasoning without its call. */
const isShown =
  (isOurs: (call: Item) => boolean) =>
  (item: Item, at: number, all: Item[]): boolean => {
    const one = item.type === "reasoning" ? all[at + 1] : item;
    return one?.type !== "function_call" || !isOurs(one);
  };

/**
 * Removes reasoning items without encrypted content. With `store: false` the vendor rejects them, because it cannot look them up. The items
 * that follow lose their ids, because an id would refer to that reasoning.
 */
function withoutLostThoughts(items: Item[]): Item[] {
  let areLost = false;
  return items.flatMap((item) => {
    if (item.type === "reasoning") areLost = !item.encrypted_content;
    if (!areLost) return [item];
    const { id: _, ...nameless } = item;
    return item.type === "reasoning" ? [] : [nameless];
  });
}

class ItemReader implements Reader<Event, ModelResponse> {
  readonly #isOurs: (name: string) => boolean;
  #id: string | undefined;
  #number = 0;
  /** Maps item indexes of this step to indexes in the caller's stream. */
  #places = new Map<number, number>();
  #shown = 0;
  #output: Item[] = [];
  #end: Event | null = null;

  constructor(isOurs: (name: string) => boolean) {
    this.#isOurs = isOurs;
  }

  begin(): void {
    this.#places = new Map();
    this.#end = null;
  }

  read(event: Event): Event[] {
    const { type, output_index: index, item, response } = event;
    if (response !== undefined) {
      const isFirst = this.#id === undefined;
      this.#id ??= response.id;
      if (ENDS.includes(type)) this.#end = event;
      else if (isFirst || response.id === this.#id) return [this.#numbered(event)];
      return [];
    }
    if (index === undefined) return [this.#numbered(event)];
    if (type === "response.output_item.added" && !(item?.type === "function_call" && this.#isOurs(item.name ?? "")))
      this.#places.set(index, this.#shown++);
    const output_index = this.#places.get(index);
    return output_index === undefined ? [] : [this.#numbered({ ...event, output_index })];
  }

  take(): ModelResponse | null {
    const response = this.#end?.response;
    if (response === undefined) return null;
    this.#output.push(...response.output.filter(isShown(({ name = "" }) => this.#isOurs(name))));
    return response;
  }

  end(usage: object | undefined): Event[] {
    if (this.#end?.response === undefined) return [];
    const { response, ...event } = this.#end;
    const whole = { ...response, id: this.#id ?? response.id, output: this.#output };
    return [this.#numbered({ ...event, response: usage === undefined ? whole : { ...whole, usage } })];
  }

  #numbered(event: Event): Event {
    return event.sequence_number === undefined ? event : { ...event, sequence_number: this.#number++ };
  }
}

const ENDS = ["response.completed", "response.incomplete", "response.failed"];
