// Serves a scripted model on its own port and records the requests of hosts.

import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { dialectOf, type Heard, type Move } from "./dialects";

/** A tool of the gateway by its name there, and its arguments. */
export interface Step {
  tool: string;
  input: object;
}

/** Records one chat. */
export class Chat {
  /** The host's requests with tools in this chat, in order. */
  readonly heard: Heard[] = [];
  /** The reason why the model stopped before its last step. */
  problem: string | null = null;
  readonly #asked: { move: Move; step: number | null }[] = [];

  constructor(
    readonly mark: string,
    readonly steps: readonly Step[],
    /** The delay before each action of the model, in milliseconds. */
    readonly thinksMs: number,
  ) {}

  /** Returns the result of a step, as the host passed it to its model. */
  resultOf(step: number): string {
    const at = this.#asked.findIndex((asked) => asked.step === step);
    return this.heard.at(-1)?.results[at] ?? `not called: ${this.problem ?? "the chat ended before"}`;
  }

  /** Returns the names of the tools in the request with this number, by default the last one. */
  toolsAt(request = -1): string[] {
    return (this.heard.at(request)?.tools ?? []).map(({ name }) => name);
  }

  move(heard: Heard): Move {
    this.heard.push(heard);
    // A retry of the host receives the same answer.
    const last = this.#asked[heard.results.length];
    if (last !== undefined) return last.move;
    const step = this.#asked.filter(({ step }) => step !== null).length;
    const next = this.steps[step];
    if (next === undefined) return { say: "The trial is done." };
    const { tools } = heard;
    const found = tools.find(({ name }) => isNamed(name, next.tool));
    if (found !== undefined) return this.#ask({ call: { tool: found, input: next.input } }, step);
    return this.#ask(...this.#bySearch(heard, next, step));
  }

  /** Hosts with many tools do not list them: the model searches for a tool and then calls it. */
  #bySearch({ tools, text }: Heard, { tool, input }: Step, step: number): [Move, number | null] {
    const last = this.#asked.at(-1);
    const hasSearched = last !== undefined && last.step === null;
    const name = namesIn(text).find((one) => isNamed(one, tool));
    const indirect = tools.find((one) => one.name === "tool_call");
    if (hasSearched && indirect !== undefined && name !== undefined)
      return [{ call: { tool: indirect, input: { name, arguments: input } } }, step];
    const search = tools.find((one) => SEARCHES.includes(one.name));
    if (search !== undefined && !hasSearched) {
      const query = name === undefined ? tool : `select:${name}`;
      return [{ call: { tool: search, input: { query, max_results: 5 } } }, null];
    }
    this.problem = `no ${tool} among ${tools.map((one) => one.name).join(", ")}`;
    return [{ say: this.problem }, null];
  }

  #ask(move: Move, step: number | null): Move {
    this.#asked.push({ move, step });
    return move;
  }
}

/** Names of the hosts' own tools that search for unlisted tools. */
const SEARCHES = ["ToolSearch", "tool_search"];

/** Hosts prefix tools with the server's name. */
const isNamed = (name: string, tool: string) => name === tool || new RegExp(`[^a-z]${tool}$`).test(name);

const namesIn = (text: string) => text.match(/\bmcp__skills__\w+/g) ?? [];

export interface Model {
  url: string;
  /** Requests that belong to no chat: routes and their first words. */
  others: string[];
  /** Sets the steps for the chat whose prompt contains this mark. */
  expect(mark: string, steps: readonly Step[], thinksMs: number): Chat;
  close(): Promise<void>;
}

export async function startModel(): Promise<Model> {
  const chats: Chat[] = [];
  const others: string[] = [];
  let answers = 0;
  const server = createServer(async (request, response) => {
    const [route = ""] = (request.url ?? "").split("?");
    const dialect = dialectOf(route);
    const text = await bodyOf(request);
    if (dialect === null) {
      others.push(`${request.method} ${route}`);
      const models = { object: "list", data: [{ id: "trial", object: "model" }], models: [] };
      response.writeHead(/models$/.test(route) ? 200 : 404, { "content-type": "application/json" });
      return response.end(JSON.stringify(/models$/.test(route) ? models : { error: { message: "not here" } }));
    }
    const body: unknown = JSON.parse(text);
    const heard = { ...dialect.hear(body), text };
    const chat = chats.find(({ mark }) => text.includes(mark));
    // Hosts also send requests without tools, for example to create titles.
    const isChat = chat !== undefined && heard.tools.length > 1;
    if (!isChat) others.push(`${route} ${text.slice(0, 200)}`);
    const move = isChat ? chat.move(heard) : { say: "A trial" };
    if (isChat) await new Promise((resolve) => setTimeout(resolve, chat.thinksMs));
    const { type, text: answer } = dialect.answer(move, `${++answers}`, body);
    response.writeHead(200, { "content-type": type }).end(answer);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    others,
    expect(mark, steps, thinksMs) {
      const chat = new Chat(mark, steps, thinksMs);
      chats.push(chat);
      return chat;
    },
    close: () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
