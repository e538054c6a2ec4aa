// The client of a back end: every operation of the gateway by its name, with types from the gateway's own OpenAPI document.

import { Chat, type ChatOptions } from "./chat.js";
import { SkillGatewayError } from "./errors.js";
import { OPERATIONS, type Operations } from "./generated/operations.js";
import { eventsOf } from "./sse.js";
import { type Attempts, pause, send, wait } from "./transport.js";

export { Chat, type ChatOptions, type Step, type TurnStart } from "./chat.js";
export { type Problem, SkillGatewayError } from "./errors.js";
export type * from "./generated/operations.js";

export interface SkillGatewayOptions {
  /** The gateway's address, such as `https://skills.example`. */
  url: string;
  /** A key, or a function that gives one, such as a token that is renewed. */
  key: string | (() => string | Promise<string>);
  /** The user that requests are for. The key needs the scope `act_as`. */
  onBehalfOf?: string;
  /** How often a request is sent again; default 3. */
  retries?: number;
  /** How long one attempt may take, in milliseconds; default 30 000. Tool calls have their own. */
  timeoutMs?: number;
  fetch?: typeof fetch;
}

export type OperationName = keyof Operations;
export type RequestOf<Name extends OperationName> = Operations[Name]["request"];
export type AnswerOf<Name extends OperationName> = Operations[Name]["answer"];
/** Operations that may answer with a stream. */
export type StreamName = {
  [Name in OperationName]: Operations[Name] extends { event: unknown } ? Name : never;
}[OperationName];

export interface CallOptions {
  signal?: AbortSignal | null;
  timeoutMs?: number;
  /** Made for each call where the operation takes one: give it to repeat a request of before. `null`: none. */
  idempotencyKey?: string | null;
}

/** What one entry of a list is. */
type EntryOf<Answer> = Answer extends readonly (infer Entry)[]
  ? Entry
  : Answer extends { items: readonly (infer Entry)[] }
    ? Entry
    : Answer extends { events: readonly (infer Entry)[] }
      ? Entry
      : never;
/** Operations whose answer is a list. */
export type ListName = { [Name in OperationName]: EntryOf<AnswerOf<Name>> extends never ? never : Name }[OperationName];

/** Parts of a request as the client reads them, whatever the operation. */
interface Parts {
  path?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
}

export class SkillGateway {
  readonly #options: SkillGatewayOptions;
  readonly #attempts: Attempts;
  /** Of the newest answer: what was written through this client is seen by its next request. */
  #bookmark: string | null = null;

  constructor(options: SkillGatewayOptions) {
    if (!URL.canParse(options.url)) throw new TypeError(`url: ${JSON.stringify(options.url)} is no URL`);
    this.#options = options;
    const { retries = 3, timeoutMs = 30_000, fetch: ask = (...request) => globalThis.fetch(...request) } = options;
    this.#attempts = { retries, timeoutMs, fetch: ask };
  }

  /** The same client for a user. */
  as(userId: string): SkillGateway {
    return new SkillGateway({ ...this.#options, onBehalfOf: userId });
  }

  /** One of the user's chats, for the adapters. */
  chat(id: string, options: ChatOptions = {}): Chat {
    const { user, ...rest } = options;
    return new Chat(user === undefined ? this : this.as(user), id, rest);
  }

  /** Calls an operation. What it refuses is thrown as `SkillGatewayError`. */
  async call<Name extends OperationName>(
    name: Name,
    request: RequestOf<Name>,
    options: CallOptions = {},
  ): Promise<AnswerOf<Name>> {
    const [, , , kind] = OPERATIONS[name];
    return this.#send(name, request as Parts, options, {}, async (answer) => {
      if (kind.startsWith("bytes")) return answer as AnswerOf<Name>;
      if (answer.status === 204 || kind.startsWith("none")) return undefined as AnswerOf<Name>;
      return (await answer.json()) as AnswerOf<Name>;
    });
  }

  /** Every entry of a list, page after page, whatever form the list has. */
  async *list<Name extends ListName>(
    name: Name,
    request: RequestOf<Name>,
    options: CallOptions = {},
  ): AsyncGenerator<EntryOf<AnswerOf<Name>>, void, undefined> {
    const kind = OPERATIONS[name][3].split(" ", 1)[0];
    const { query, ...rest } = request as Parts;
    let place: Record<string, unknown> = {};
    for (;;) {
      const parts = { ...rest, query: { ...query, ...place } };
      const { page, link } = await this.#send(name, parts, options, {}, async (answer) => ({
        page: (await answer.json()) as unknown,
        link: answer.headers.get("link"),
      }));
      const fields = page as { items?: unknown[]; events?: unknown[]; next_cursor?: string | number | null };
      yield* (kind === "array" ? page : (fields.items ?? fields.events ?? [])) as EntryOf<AnswerOf<Name>>[];
      const next = kind === "array" ? linked(link) : fields.next_cursor;
      if (next === null || next === undefined) return;
      place = kind === "events" ? { after: next } : { cursor: next };
    }
  }

  /**
   * Calls an operation that tells as it goes. A connection that is lost before the end is made again with the same ids, so that what
   * ran is not run again, and what was told is not told again. Leaving the loop cancels what still runs.
   */
  async *stream<Name extends StreamName>(
    name: Name,
    request: RequestOf<Name>,
    options: CallOptions = {},
  ): AsyncGenerator<Operations[Name]["event"], void, undefined> {
    const told = new Set<string>();
    for (let attempt = 0; ; attempt++) {
      const more = { accept: "text/event-stream" };
      const answer = await this.#send(name, request as Parts, options, more, async (response) => response);
      try {
        if (answer.body !== null)
          for await (const { event, data } of eventsOf(answer.body)) {
            const frame = `${event} ${data}`;
            if (told.has(frame)) continue;
            told.add(frame);
            yield { event, data: JSON.parse(data) } as Operations[Name]["event"];
            if (event === "done" || event === "error") return;
          }
      } catch (error) {
        options.signal?.throwIfAborted();
        if (error instanceof SyntaxError) throw error;
      }
      if (attempt >= this.#attempts.retries)
        throw new SkillGatewayError({ status: 0, code: "STREAM_ENDED", message: "The gateway's answer ended early" });
      await wait(pause(attempt), options.signal);
    }
  }

  async #send<Answer>(
    name: OperationName,
    { path = {}, query = {}, body }: Parts,
    { signal, timeoutMs, idempotencyKey }: CallOptions,
    more: Record<string, string>,
    read: (response: Response) => Promise<Answer>,
  ): Promise<Answer> {
    const [method, template, retry, kind] = OPERATIONS[name];
    const { key, onBehalfOf, url: base } = this.#options;
    const url = new URL(
      template.slice(1).replace(/\{(\w+)\}/g, (_, field: string) => segment(path, field)),
      `${base.replace(/\/+$/, "")}/`,
    );
    for (const [field, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(field, String(value));
    const headers: Record<string, string> = {
      ...more,
      authorization: `Bearer ${typeof key === "string" ? key : await key()}`,
      ...(onBehalfOf === undefined ? {} : { "on-behalf-of": onBehalfOf }),
    };
    const form = kind.includes("form");
    if (body !== undefined && !form) headers["content-type"] = "application/json";
    // A stream is not kept by this key: its calls are found again by their own ids.
    if (kind.includes("keyed") && more.accept === undefined && idempotencyKey !== null)
      headers["idempotency-key"] = idempotencyKey ?? crypto.randomUUID();
    const text = body === undefined || form ? undefined : JSON.stringify(body);
    const make = () => ({
      url: url.href,
      init: {
        method,
        headers: { ...headers, ...(this.#bookmark === null ? {} : { "x-d1-bookmark": this.#bookmark }) },
        ...(body === undefined ? {} : { body: form ? formOf(body as Record<string, unknown>) : text }),
      },
    });
    const attempts = timeoutMs === undefined ? this.#attempts : { ...this.#attempts, timeoutMs };
    const mark = (response: Response) => {
      this.#bookmark = response.headers.get("x-d1-bookmark") ?? this.#bookmark;
      return read(response);
    };
    return send(make, retry, attempts, mark, signal);
  }
}

function segment(path: Record<string, unknown>, field: string): string {
  const value = path[field];
  if (value === undefined || value === "") throw new TypeError(`path.${field} is missing`);
  // A file's path spans segments.
  const words = field === "path" ? String(value).split("/") : [String(value)];
  return words.map(encodeURIComponent).join("/");
}

function formOf(fields: Record<string, unknown>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (value instanceof Blob) form.set(name, value, value instanceof File ? value.name : "skill.zip");
    else if (value !== undefined) form.set(name, String(value));
  }
  return form;
}

/** The cursor in `Link: <…?cursor=…>; rel="next"`. */
function linked(header: string | null): string | null {
  const [, target] = /<([^>]*)>\s*;[^,]*rel="?next"?/.exec(header ?? "") ?? [];
  return target === undefined ? null : new URL(target, "https://gateway.example").searchParams.get("cursor");
}
