// Client for back ends: calls every operation of the gateway by name, with types from its OpenAPI document.

import { Chat, type ChatOptions } from "./chat.js";
import { SkillGatewayError } from "./errors.js";
import { OPERATIONS, type Operations } from "./generated/operations.js";
import { eventsOf } from "./sse.js";
import { type Attempts, pause, send, wait } from "./transport.js";

export { Chat, type ChatOptions, type SignIn, type Step, type TurnStart } from "./chat.js";
export { type Problem, SkillGatewayError } from "./errors.js";
export type * from "./generated/operations.js";

export interface SkillGatewayOptions {
  /** Base URL of the gateway, such as `https://skills.example`. */
  url: string;
  /** A key, or a function that returns one, for tokens that are refreshed. */
  key: string | (() => string | Promise<string>);
  /** Acts for this user. The key needs the scope `act_as`. */
  onBehalfOf?: string;
  /** Number of retries per request. Default: 3. */
  retries?: number;
  /** Time limit of one attempt in milliseconds. Default: 30 000. Tool calls have their own limit. */
  timeoutMs?: number;
  fetch?: typeof fetch;
}

export type OperationName = keyof Operations;
export type RequestOf<Name extends OperationName> = Operations[Name]["request"];
export type AnswerOf<Name extends OperationName> = Operations[Name]["answer"];
/** Operations that can return a stream. */
export type StreamName = {
  [Name in OperationName]: Operations[Name] extends { event: unknown } ? Name : never;
}[OperationName];

export interface CallOptions {
  signal?: AbortSignal | null;
  timeoutMs?: number;
  /**
   * Idempotency key. Default: a new key per call, for operations that accept one. Pass the same key to repeat an earlier request. `null`
   * sends none.
   */
  idempotencyKey?: string | null;
}

/** Type of one list entry. */
type EntryOf<Answer> = Answer extends readonly (infer Entry)[]
  ? Entry
  : Answer extends { items: readonly (infer Entry)[] }
    ? Entry
    : Answer extends { events: readonly (infer Entry)[] }
      ? Entry
      : never;
/** Operations that return a list. */
export type ListName = { [Name in OperationName]: EntryOf<AnswerOf<Name>> extends never ? never : Name }[OperationName];

export interface EventsOptions {
  /** The id of the last event that you have handled. Default: only new events. */
  after?: string | undefined;
  signal?: AbortSignal | null | undefined;
}

/** An event of `SkillGateway.events`. */
export type SkillEvent =
  | { type: "ready" | "reset"; id: string }
  | {
      type: "skill.published" | "skill.activated" | "skill.yanked" | "skill.unyanked" | "skill.deleted";
      id: string;
      timestamp: string;
      data: { skill_id: string; name: string; version_id?: string; version?: string | null };
    };

/** The gateway sends a comment every 15 seconds. */
const SILENCE_MS = 45_000;

function skillEventOf(type: string, id: string, body: object): SkillEvent {
  return { ...body, type, id } as SkillEvent;
}

/** The parts of a request of any operation. */
interface Parts {
  path?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
}

export class SkillGateway {
  readonly #options: SkillGatewayOptions;
  readonly #attempts: Attempts;
  /** D1 bookmark of the newest response. With it, a request sees all earlier writes of this client. */
  #bookmark: string | null = null;

  constructor(options: SkillGatewayOptions) {
    if (!URL.canParse(options.url))
      throw new TypeError(
        `url: ${JSON.stringify(options.url)} is not a URL. Use an address such as https://skills.example.com.`,
      );
    this.#options = options;
    const { retries = 3, timeoutMs = 30_000, fetch: ask = (...request) => globalThis.fetch(...request) } = options;
    this.#attempts = { retries, timeoutMs, fetch: ask };
  }

  /** Returns a client with the same options that acts for a user. */
  as(userId: string): SkillGateway {
    return new SkillGateway({ ...this.#options, onBehalfOf: userId });
  }

  /** Returns a chat for the adapters (`withSkills`, `aiSdk`). */
  chat(id: string, options: ChatOptions = {}): Chat {
    const { user, ...rest } = options;
    return new Chat(user === undefined ? this : this.as(user), id, rest);
  }

  /** Calls an operation. Throws `SkillGatewayError` if the gateway rejects the request or cannot be reached. */
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

  /** Yields every entry of a list and fetches further pages as needed. */
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
   * Calls an operation and yields its events. If the connection is lost before the end, the client sends the request again with the same
   * ids. The gateway does not run finished calls again, and events are not yielded twice. Leaving the loop cancels calls that still run.
   */
  async *stream<Name extends StreamName>(
    name: Name,
    request: RequestOf<Name>,
    options: CallOptions = {},
  ): AsyncGenerator<Operations[Name]["event"], void, undefined> {
    const sentFrames = new Set<string>();
    for (let attempt = 0; ; attempt++) {
      const more = { accept: "text/event-stream" };
      const answer = await this.#send(name, request as Parts, options, more, async (response) => response);
      try {
        if (answer.body !== null)
          for await (const { event, data } of eventsOf(answer.body)) {
            const frame = `${event} ${data}`;
            if (sentFrames.has(frame)) continue;
            sentFrames.add(frame);
            yield { event, data: JSON.parse(data) } as Operations[Name]["event"];
            if (event === "done" || event === "error") return;
          }
      } catch (error) {
        options.signal?.throwIfAborted();
        if (error instanceof SyntaxError) throw error;
      }
      if (attempt >= this.#attempts.retries)
        throw new SkillGatewayError({
          status: 0,
          code: "STREAM_ENDED",
          message: "The response of the gateway ended early. Try again.",
        });
      await wait(pause(attempt), options.signal);
    }
  }

  /**
   * Yields the events of all skills that you can read, until you leave the loop or abort `signal`. After an interruption, the client
   * connects again and continues after the last event, so an event can arrive twice with the same id.
   *
   * `ready` means that everything missed has been yielded: list the skills now, once. `reset` means that older events were deleted: list
   * the skills again.
   *
   * @throws SkillGatewayError if the key is not valid any more, or has not the scope `skills:read`
   */
  async *events({ after, signal }: EventsOptions = {}): AsyncGenerator<SkillEvent, void, undefined> {
    let last = after;
    let isReady = false;
    for (let attempt = 0; ; ) {
      signal?.throwIfAborted();
      try {
        const query = last === undefined ? {} : { last_event_id: last };
        const more = { accept: "text/event-stream" };
        const answer = await this.#send("events.list", { query }, { signal: signal ?? null }, more, async (one) => one);
        if (answer.body !== null)
          for await (const { event, data, id } of eventsOf(answer.body, SILENCE_MS)) {
            attempt = 0;
            last = id;
            // Later ones only follow the client's own reconnections.
            if (event === "ready" && isReady) continue;
            isReady ||= event === "ready" || event === "reset";
            yield skillEventOf(event, id, JSON.parse(data));
          }
      } catch (error) {
        signal?.throwIfAborted();
        const goesOn = !(error instanceof SkillGatewayError) || error.isOutage || error.status === 429;
        if (!goesOn || error instanceof SyntaxError) throw error;
      }
      await wait(pause(attempt++), signal);
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
    // Streams do not use this key. The gateway recognizes repeated calls by their own ids.
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
  if (value === undefined || value === "") throw new TypeError(`path.${field} is missing. Pass it.`);
  // A file path can have several segments.
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

/** Returns the cursor in `Link: <…?cursor=…>; rel="next"`. */
function linked(header: string | null): string | null {
  const [, target] = /<([^>]*)>\s*;[^,]*rel="?next"?/.exec(header ?? "") ?? [];
  return target === undefined ? null : new URL(target, "https://gateway.example").searchParams.get("cursor");
}
