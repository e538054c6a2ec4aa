// A test page on the conversation's socket: records received frames and the close code.

import { exports } from "cloudflare:workers";
import { type ServerFrame, serverFrameSchema } from "../../src/domain/questions/frame";
import { SERVER_ACTIONS } from "../../src/domain/questions/question";
import { ADMIN_KEY, call } from "./call";

const ORIGIN = "https://gateway.test";
const frameSchema = serverFrameSchema();

export interface PageOptions {
  /** Defaults to the admin key, or to no key when there is a ticket. */
  key?: string | null;
  as?: string;
  ticket?: string;
  origin?: string;
  /** Replaces the offered sub-protocols. */
  protocols?: string | null;
  /** Topics that it subscribes to. */
  hears?: string[];
  /** Actions that it answers. Default: all actions of MCP servers. */
  answers?: string[];
  /** Whether it confirms read frames, as the real client does. */
  marks?: boolean;
}

type OfType<T extends ServerFrame["type"]> = Extract<ServerFrame, { type: T }>;

export class Page {
  readonly frames: ServerFrame[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  /** Received messages that are not JSON, such as a pong. */
  readonly texts: string[] = [];
  isClosed = false;
  #read = 0;
  #broken: Error | null = null;
  #wake: () => void = () => {};

  constructor(
    readonly socket: WebSocket,
    readonly marks = true,
  ) {
    socket.addEventListener("message", ({ data }) => {
      const text = String(data);
      if (!text.startsWith("{")) this.texts.push(text);
      else this.#hear(text);
      this.#wake();
    });
    this.closed = new Promise((resolve) => {
      socket.addEventListener("close", ({ code, reason }) => {
        this.isClosed = true;
        resolve({ code, reason });
        this.#wake();
      });
    });
    socket.accept();
  }

  /** Opens a socket. If it is rejected, returns a closed page. */
  static async open(conversation: string, options: PageOptions = {}): Promise<Page> {
    const answer = await upgrade(conversation, options);
    if (answer.webSocket === null) throw new Error(`no socket: ${answer.status} ${await answer.text()}`);
    return new Page(answer.webSocket, options.marks);
  }

  /** Opens a socket and sends `hello`. */
  static async greeted(conversation: string, options: PageOptions = {}, lastSeq?: number): Promise<Page> {
    const page = await Page.open(conversation, options);
    const { hears, answers = SERVER_ACTIONS } = options;
    const seen = lastSeq === undefined ? {} : { last_seq: lastSeq };
    page.say({ type: "hello", ...seen, ...(hears ? { hears } : {}), answers });
    await page.next("welcome");
    return page;
  }

  say(frame: unknown): void {
    this.socket.send(typeof frame === "string" ? frame : JSON.stringify(frame));
  }

  answer(requestId: string, answer: { success: boolean; result?: unknown; error?: unknown }): void {
    this.say({ type: "skill:response", request_id: requestId, ...answer });
  }

  /** Returns the next unread frame of this type and skips frames of other types. */
  async next<T extends ServerFrame["type"]>(type: T): Promise<OfType<T>> {
    for (;;) {
      while (this.#read < this.frames.length) {
        const frame = this.frames[this.#read++];
        if (frame?.type === type) return frame as OfType<T>;
      }
      await this.#more(`waiting for ${type}`);
    }
  }

  /** Resolves when a pong has arrived. All messages sent before have been processed then. */
  async pong(): Promise<void> {
    const before = this.texts.length;
    this.socket.send("ping");
    while (this.texts.length === before) await this.#more("waiting for a pong");
  }

  count(type: ServerFrame["type"]): number {
    return this.frames.filter((frame) => frame.type === type).length;
  }

  /** A frame that violates the contract makes the pending `next` fail. */
  #hear(text: string): void {
    const parsed = frameSchema.safeParse(JSON.parse(text));
    if (parsed.success && parsed.data.type === "mark" && this.marks) this.say(parsed.data);
    if (parsed.success) this.frames.push(parsed.data);
    else this.#broken = new Error(`not a frame: ${text.slice(0, 200)}\n${parsed.error.message}`);
  }

  async #more(what: string): Promise<void> {
    if (this.#broken !== null) throw this.#broken;
    if (this.isClosed) throw new Error(`closed while ${what}`);
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }
}

export function upgrade(conversation: string, options: PageOptions = {}): Promise<Response> {
  const { ticket, key = ticket === undefined ? ADMIN_KEY : null, as, origin } = options;
  const headers = new Headers({ upgrade: "websocket" });
  const offered = `skill-gateway.v1${ticket === undefined ? "" : `, ticket.${ticket}`}`;
  const protocols = options.protocols === undefined ? offered : options.protocols;
  if (protocols !== null) headers.set("sec-websocket-protocol", protocols);
  if (key !== null) headers.set("authorization", `Bearer ${key}`);
  if (as !== undefined) headers.set("on-behalf-of", as);
  if (origin !== undefined) headers.set("origin", origin);
  return exports.default.fetch(`${ORIGIN}/api/v1/conversations/${conversation}/socket`, { headers });
}

/** Creates a conversation with delivery `system` and returns its id. */
export async function conversationOf(user: string | null, id: string = crypto.randomUUID()): Promise<string> {
  const answer = await call("POST", "/api/v1/conversations", {
    json: { id, delivery: "system" },
    ...(user === null ? {} : { as: user }),
  });
  if (answer.status !== 201) throw new Error(await answer.text());
  return id;
}

export async function ticketFor(conversation: string, body: Record<string, unknown> = {}): Promise<string> {
  const answer = await call("POST", `/api/v1/conversations/${conversation}/tickets`, { json: body });
  return (await answer.json<{ ticket: string }>()).ticket;
}

export interface RequestBody {
  request_id: string;
  state: string;
  success?: boolean;
  result?: unknown;
  error?: unknown;
  deadline: string;
}

/** Sends a request to the page. Does not wait for the answer by default. */
export async function askPage(conversation: string, more: Record<string, unknown> = {}): Promise<RequestBody> {
  const json = { action: "render", payload: { code: "graph TD" }, wait_ms: 0, ...more };
  const answer = await call("POST", `/api/v1/conversations/${conversation}/requests`, { json });
  if (answer.status >= 300) throw new Error(await answer.text());
  return answer.json<RequestBody>();
}

export async function requestState(conversation: string, id: string, query = ""): Promise<RequestBody> {
  const answer = await call("GET", `/api/v1/conversations/${conversation}/requests/${id}${query}`);
  return answer.json<RequestBody>();
}
