// A simulated Chat Completions provider on its own port. Tests control the content and the timing of its responses.

import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Gateway } from "../launcher";

type Message = Record<string, unknown>;

interface Body {
  stream?: boolean;
  messages: Message[];
  tools?: { function: { name: string } }[];
}

const SHELL = { object: "chat.completion.chunk", created: 7, model: "vendor-model-1" };
const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

/** One request to the provider, with control of its response. */
export class Exchange {
  /** Resolves when the connection is closed or the response is complete. */
  readonly closed: Promise<unknown>;
  readonly #response: ServerResponse;
  readonly #id: string;

  constructor(
    readonly body: Body,
    response: ServerResponse,
    number: number,
  ) {
    this.#response = response;
    this.#id = `answer-${number}`;
    this.closed = once(response, "close");
  }

  get roles(): unknown[] {
    return this.body.messages.map(({ role }) => role);
  }

  /** Whether the gateway read the complete response. */
  get isWhole(): boolean {
    return this.#response.writableFinished;
  }

  fail(status: number, body: object = { error: { message: "no", type: "server_error" } }): void {
    this.#response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  }

  /** Sends arbitrary text instead of events. */
  raw(text: string): void {
    this.#begin();
    this.#response.write(text);
  }

  say(content: string): void {
    this.#event([{ index: 0, delta: { role: "assistant", content }, finish_reason: null }]);
  }

  stop(content = ""): void {
    if (content !== "") this.say(content);
    this.#end("stop");
  }

  call(id: string, name: string, input: object): void {
    const made = { index: 0, id, type: "function", function: { name, arguments: JSON.stringify(input) } };
    this.#event([{ index: 0, delta: { role: "assistant", content: null, tool_calls: [made] }, finish_reason: null }]);
    this.#end("tool_calls");
  }

  /** Closes the connection before the response is complete. */
  cut(): void {
    this.#response.destroy();
  }

  #end(reason: string): void {
    this.#event([{ index: 0, delta: {}, finish_reason: reason }]);
    this.#event([], { usage: USAGE });
    this.#response.end("data: [DONE]\n\n");
  }

  #event(choices: object[], more: object = {}): void {
    this.#begin();
    this.#response.write(`data: ${JSON.stringify({ id: this.#id, ...SHELL, choices, ...more })}\n\n`);
  }

  #begin(): void {
    if (!this.#response.headersSent) this.#response.writeHead(200, { "content-type": "text/event-stream" });
  }
}

export interface Vendor {
  url: string;
  /** Total number of requests. */
  count(): number;
  /** Resolves with the next request, in order of arrival. */
  asked(): Promise<Exchange>;
  close(): void;
}

export async function startVendor(): Promise<Vendor> {
  const came: Exchange[] = [];
  const waiting: ((exchange: Exchange) => void)[] = [];
  let count = 0;
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const exchange = new Exchange(JSON.parse(Buffer.concat(parts).toString()), response, ++count);
    const next = waiting.shift();
    if (next === undefined) came.push(exchange);
    else next(exchange);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    count: () => count,
    asked: async () => came.shift() ?? new Promise((resolve) => waiting.push(resolve)),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

export const say = (content: string): Message => ({ role: "user", content });

/** Stores the provider's model under the name `m`. */
export async function storeModel(gateway: Gateway, { url }: Vendor, scope = "user"): Promise<void> {
  const entry = { api: ["openai-chat"], base_url: url, model: "vendor-model-1", scope };
  const headers = { "content-type": "application/json" };
  const answer = await gateway.fetch("/api/v1/models/m", {
    method: "PUT",
    headers,
    body: JSON.stringify(entry),
  });
  if (!answer.ok) throw new Error(`models: ${answer.status} ${await answer.text()}`);
}

/** Sends a request to the chat endpoint in the conversation `chat`. */
export function chat(
  gateway: Gateway,
  messages: Message[],
  {
    headers,
    signal,
    ...more
  }: { headers?: Record<string, string>; signal?: AbortSignal } & Record<string, unknown> = {},
): Promise<Response> {
  return gateway.fetch("/openai/v1/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json", "x-conversation-id": "chat", ...headers },
    body: JSON.stringify({ model: "m", messages, ...more }),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** Returns the types of the events of a conversation. */
export async function eventsOf(gateway: Gateway, conversation = "chat"): Promise<string[]> {
  const answer = await gateway.fetch(`/api/v1/conversations/${conversation}/events`);
  const { events } = (await answer.json()) as { events: { type: string }[] };
  return events.map(({ type }) => type);
}
