// A model on a port of its own that does what a trial has written down, and keeps what hosts sent it.

import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { dialectOf, type Heard, type Move } from "./dialects";

/** A tool of the gateway by the name that the gateway has for it, and what it is called with. */
export interface Step {
  tool: string;
  input: object;
}

/** What happened in one chat. */
export class Chat {
  /** What the host sent in this chat with tools, in order. */
  readonly heard: Heard[] = [];
  /** Why the model gave up before its last step. */
  problem: string | null = null;
  readonly #asked: { move: Move; step: number | null }[] = [];

  constructor(
    readonly mark: string,
    readonly steps: readonly Step[],
    /** How long the model thinks about each of its moves. */
    readonly thinksMs: number,
  ) {}

  /** What the step was answered, as the host told its model. */
  resultOf(step: number): string {
    const at = this.#asked.findIndex((asked) => asked.step === step);
    return this.heard.at(-1)?.results[at] ?? `not called: ${this.problem ?? "the chat ended before"}`;
  }

  /** The names of the tools that the host offered with its request of this number; the last one unless said. */
  toolsAt(request = -1): string[] {
    return (this.heard.at(request)?.tools ?? []).map(({ name }) => name);
  }

  move(heard: Heard): Move {
    this.heard.push(heard);
    // A host that asks again gets the same again.
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

  /** Hosts with many tools list none of them: the model looks for a tool, and calls it then. */
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

/** How hosts call the tool that finds tools which they do not list. */
const SEARCHES = ["ToolSearch", "tool_search"];

/** Hosts write a server's name before its tools'. */
const isNamed = (name: string, tool: string) => name === tool || new RegExp(`[^a-z]${tool}$`).test(name);

const namesIn = (text: string) => text.match(/\bmcp__skills__\w+/g) ?? [];

export interface Model {
  url: string;
  /** Requests that were no chat's: routes and the first words of them. */
  others: string[];
  /** From now on the chat whose prompt has this mark goes by these steps. */
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
    // Hosts ask for titles and the like, too, without tools.
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
