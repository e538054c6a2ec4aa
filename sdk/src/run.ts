// Runs one turn through a vendor's client, in the same way for every adapter.
//
// The run appends the model's steps with skills to the caller's history. The caller appends the last answer itself. The run executes calls
// of the gateway's tools and hides them. Calls of the caller's own tools are returned.

import { type Api, type Front, type Kept, type Made, wire } from "./api.js";
import { type Chat, keyOf, MOST_STEPS, type Step, type TurnStart } from "./chat.js";
import { type Answered, added, controllerOf, promised, type RequestOptions, streamLike, withCreate } from "./wrap.js";

/** The request fields that every adapter reads. */
interface Asked {
  model?: unknown;
  tools?: unknown;
  stream?: boolean | null | undefined;
}

/** Returns the client with skills in one API, or the client unchanged if it does not have this API. */
export function withApi<
  Given extends object,
  Body extends Asked,
  Message extends Kept,
  Call,
  Answer,
  Event extends object,
>(client: Given, chat: Chat, api: Api<Body, Message, Call, Answer, Event>): Given {
  const resource = api.path.reduce<unknown>(
    (value, name) => (typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined),
    client,
  ) as { create?: (body: Body, options: RequestOptions) => { withResponse(): Promise<Answered> } } | undefined;
  const create = resource?.create;
  if (create === undefined) return client;
  const ask: Ask<Body> = (body, options) => create.call(resource, body, options).withResponse();
  return withCreate(
    client,
    api.path,
    (body, options = {}) => promised(answered(body as Body, options, chat, ask, api), { body, ...options }),
    (other) => withApi(other, chat, api),
  );
}

type Ask<Body> = (body: Body, options: RequestOptions) => Promise<Answered>;

async function answered<Body extends Asked, Message extends Kept, Call, Answer, Event extends object>(
  asked: Body,
  given: RequestOptions,
  chat: Chat,
  ask: Ask<Body>,
  api: Api<Body, Message, Call, Answer, Event>,
): Promise<Answered> {
  const body = { ...asked };
  const controller = controllerOf(given.signal);
  const options = { ...given, signal: controller.signal };
  const history = api.historyOf(body);
  const turn = await begin(history, body, chat, api, controller.signal);
  const run = new Run(body, history, turn, chat, api, controller.signal, (made) => ask(made, options));
  const first = await run.ask();
  if (!body.stream) return { ...first, data: await run.finish(first.data as Answer) };
  const events = () => run.events(first.data as AsyncIterable<Event>, controller);
  return { ...first, data: streamLike(first.data as object, events, controller) };
}

/** Begins or resumes the turn of the last user message and updates the history. */
async function begin<Body extends Asked, Message extends Kept, Call, Answer, Event>(
  history: Message[],
  { model }: Body,
  chat: Chat,
  api: Api<Body, Message, Call, Answer, Event>,
  signal: AbortSignal,
): Promise<TurnStart | null> {
  joinSteps(history, api);
  const isWritten = (message: Message) => message.skill_append_id === undefined && api.isWritten(message);
  const at = history.findLastIndex(isWritten);
  if (api.staysAway?.(history, at)) return null;
  const have = history.flatMap((message) => [
    ...api.answersIn(message),
    ...(message.skill_append_id === undefined ? [] : [message.skill_append_id]),
  ]);
  const written = history.filter(isWritten).map((message) => (message as { content?: unknown }).content);
  const turn = await chat.begin(
    {
      ...{ format: api.format, history: history.slice(0, Math.max(at, 0)).map(wire), have },
      key: chat.options.key ?? (await keyOf(written)),
      message: written.at(-1),
      ...(typeof model === "string" ? { model } : {}),
    },
    signal,
  );
  api.settle?.(history, at, turn);
  if (turn === null) return null;
  for (const { call_id, append_id, content } of turn.context_edits ?? [])
    if (call_id !== undefined) {
      const edited = history.find((message) => api.answersIn(message).includes(call_id));
      if (edited !== undefined) api.edit(edited, call_id, content);
    } else {
      const edited = history.find(({ skill_append_id }) => skill_append_id === append_id);
      if (edited !== undefined) Object.assign(edited, { content });
    }
  const { append = [], append_id } = turn;
  if (append_id === undefined || !history.some(({ skill_append_id }) => skill_append_id === append_id))
    history.splice(
      at + 1,
      0,
      ...append.map((message) => ({ ...(message as unknown as Message), skill_append_id: append_id })),
    );
  return turn;
}

/** Removes from the caller's messages everything that the steps in the history already contain. */
function joinSteps<Body, Message extends Kept, Call, Answer, Event>(
  history: Message[],
  api: Api<Body, Message, Call, Answer, Event>,
): void {
  let steps: Message[] = [];
  for (let at = 0; at < history.length; at++) {
    const message = history[at] as Message;
    if (message.skill_step === true) steps.push(message);
    else if (api.isWritten(message)) steps = [];
    else if (steps.length > 0 && api.answersIn(message).length === 0) {
      const left = api.left(message, steps);
      if (left !== null) {
        history[at] = left;
        continue;
      }
      history.splice(at, 1);
      const [before, after] = [history[at - 1], history[at]];
      const joined = before === undefined || after === undefined ? null : (api.joined?.(before, after) ?? null);
      if (joined !== null) history.splice(at - 1, 2, joined);
      at--;
    }
  }
  for (const message of history) delete message.skill_step;
}

class Run<Body extends Asked, Message extends Kept, Call, Answer, Event> {
  readonly #body: Body;
  readonly #history: Message[];
  readonly #turn: TurnStart | null;
  readonly #chat: Chat;
  readonly #api: Api<Body, Message, Call, Answer, Event>;
  readonly #signal: AbortSignal;
  readonly #send: (body: Body) => Promise<Answered>;
  #front: Front | null;
  #ours: ReadonlySet<string> = new Set();
  #steps = 0;

  constructor(
    body: Body,
    history: Message[],
    turn: TurnStart | null,
    chat: Chat,
    api: Api<Body, Message, Call, Answer, Event>,
    signal: AbortSignal,
    send: (body: Body) => Promise<Answered>,
  ) {
    this.#body = body;
    this.#history = history;
    this.#turn = turn;
    this.#chat = chat;
    this.#api = api;
    this.#signal = signal;
    this.#send = send;
    this.#front = turn;
    this.#learn();
  }

  ask(): Promise<Answered> {
    return this.#send(this.#api.request(this.#body, this.#turn, this.#front));
  }

  /** Runs all steps with the gateway's calls and returns the answer for the caller. */
  async finish(first: Answer): Promise<Answer> {
    let answer = first;
    let usage: unknown;
    for (;;) {
      const made = this.#api.read(answer);
      usage = added(usage, made.usage ?? undefined);
      if (!(await this.#step(made)))
        return this.#api.shown(answer, (call) => this.#isOurs(call), usage as object | undefined);
      answer = (await this.ask()).data as Answer;
    }
  }

  /** Like `finish`, as a stream: text as it arrives, calls of the caller's tools, and one end. */
  async *events(first: AsyncIterable<Event>, controller: AbortController): AsyncGenerator<Event> {
    const reader = this.#api.reader((name) => this.#ours.has(name));
    let source = first;
    let usage: unknown;
    let whole = false;
    try {
      for (;;) {
        reader.begin();
        for await (const event of source) yield* reader.read(event);
        const answer = reader.take();
        const made = answer === null ? null : this.#api.read(answer);
        usage = added(usage, made?.usage ?? undefined);
        if (made === null || !(await this.#step(made))) {
          whole = true;
          yield* reader.end(usage as object | undefined);
          return;
        }
        source = (await this.ask()).data as AsyncIterable<Event>;
      }
    } catch (error) {
      // Like the vendor's own stream: if the caller aborted it, it ends without an error.
      if (!controller.signal.aborted) throw error;
    } finally {
      // The caller stopped reading, so the running request is cancelled.
      if (!whole) controller.abort();
    }
  }

  /** Runs the gateway's calls of a step and appends the step to the history. Returns whether the model continues without the caller. */
  async #step({ messages, calls, isCut, usage }: Made<Message, Call>): Promise<boolean> {
    const ours = calls.filter((call) => this.#isOurs(call));
    if (ours.length === 0 || isCut) return false;
    if (++this.#steps > MOST_STEPS)
      throw new Error(`Too many steps in one turn (limit ${MOST_STEPS}). Start a new turn.`);
    const step = await this.#chat.run(ours, this.#api.format, this.#signal, usage ?? undefined);
    this.#history.push(
      ...messages.map((message) => ({ ...message, skill_step: true as const })),
      ...(step === null ? this.#api.unreachable(ours) : this.#api.results(step.messages)),
    );
    const isOursAlone = calls.length === ours.length;
    if (step !== null && isOursAlone) this.#learn(step);
    return isOursAlone;
  }

  #learn(step?: Step): void {
    if (step?.prompt !== undefined && step.tools !== undefined)
      this.#front = { prompt: step.prompt, tools: step.tools };
    const names = (tools: unknown) =>
      Array.isArray(tools) ? tools.flatMap((tool) => this.#api.nameOf(tool) ?? []) : [];
    this.#ours = new Set(names(this.#front?.tools));
    const both = names(this.#body.tools).filter((name) => this.#ours.has(name));
    if (both.length > 0) throw new TypeError(`Tool name used twice: ${both.join(", ")}. Rename your tool.`);
  }

  #isOurs(call: Call): boolean {
    return this.#ours.has(this.#api.callName(call));
  }
}
