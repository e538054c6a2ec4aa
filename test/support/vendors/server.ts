// Runs a vendor's API for one chat on its own port. It validates every request by the vendor's rules, and its model follows a plan.

import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { aiAnswer, aiSchema } from "./ai-gateway";
import { MESSAGES_HEADERS, MESSAGES_RULES, messagesAnswer } from "./anthropic";
import { messagesSchema } from "./anthropic-fields";
import { DEEPSEEK_RULES, deepseekAnswer, deepseekSchema, GEMINI_RULES, geminiAnswer, geminiSchema } from "./compatible";
import { CHAT_RULES, chatAnswer, chatSchema, OPENAI_HEADERS } from "./openai-chat";
import { RESPONSES_RULES, responsesAnswer, responsesSchema } from "./openai-responses";
import { PrefixMeter } from "./prefix-meter";
import { type HeaderRule, judge, type Move, type Refused } from "./rule";
import { streamed } from "./stream";

type Judged = { answer(move: Move, step: string, meter: PrefixMeter): object } | { refused: Refused };

interface Api {
  headers: readonly HeaderRule[];
  judged(body: unknown): Judged;
}

const APIS: Record<string, Api> = {
  "/v1/messages": {
    headers: MESSAGES_HEADERS,
    judged(body) {
      const { request, refused } = judge(messagesSchema, MESSAGES_RULES, body);
      return refused === null ? { answer: (move, step) => messagesAnswer(request, move, step) } : { refused };
    },
  },
  "/v1/chat/completions": {
    headers: OPENAI_HEADERS,
    judged(body) {
      const { request, refused } = judge(chatSchema, CHAT_RULES, body);
      return refused === null ? { answer: (move, step, meter) => chatAnswer(request, move, step, meter) } : { refused };
    },
  },
  "/v1/responses": {
    headers: OPENAI_HEADERS,
    judged(body) {
      const { request, refused } = judge(responsesSchema, RESPONSES_RULES, body);
      return refused === null
        ? { answer: (move, step, meter) => responsesAnswer(request, move, step, meter) }
        : { refused };
    },
  },
  "/deepseek/chat/completions": {
    headers: OPENAI_HEADERS,
    judged(body) {
      const { request, refused } = judge(deepseekSchema, DEEPSEEK_RULES, body);
      return refused === null
        ? { answer: (move, step, meter) => deepseekAnswer(request, move, step, meter) }
        : { refused };
    },
  },
  "/gemini/chat/completions": {
    headers: OPENAI_HEADERS,
    judged(body) {
      const { request, refused } = judge(geminiSchema, GEMINI_RULES, body);
      return refused === null
        ? { answer: (move, step, meter) => geminiAnswer(request, move, step, meter) }
        : { refused };
    },
  },
  "/language-model": {
    headers: [],
    judged(body) {
      const { refused } = judge(aiSchema, [], body);
      return refused === null ? { answer: (move, step) => aiAnswer(move, step) } : { refused };
    },
  },
};

export interface Vendor {
  url: string;
  /** Received bodies, in order. */
  bodies: string[];
  /** Headers of these requests. */
  headers: IncomingHttpHeaders[];
  /** Answers in order, streamed or not. */
  answers: object[];
  refusals: Refused[];
  meter: PrefixMeter;
  /** The model's calls in its next steps. After them it answers with text. */
  plan: Move["calls"][];
  /** The next texts at the end of a turn. After them the text names the step. */
  texts: string[];
  /** Called while the model generates the last text of a turn. */
  meanwhile: () => Promise<void>;
  /** Makes the next text at the end of a turn stop after its first piece without ending the stream. */
  stall(): void;
  close(): Promise<void>;
}

/** @param options `asksKey`: whether a key is required. Not used behind the gateway, which sends secrets over https only */
export async function startVendor({ asksKey = false } = {}): Promise<Vendor> {
  let isStalled = false;
  const vendor: Vendor = {
    ...{ url: "", bodies: [], headers: [], answers: [], refusals: [], plan: [], texts: [], meter: new PrefixMeter() },
    meanwhile: async () => {},
    stall: () => {
      isStalled = true;
    },
    close: () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
  const { bodies, headers, answers, refusals, plan, texts, meter } = vendor;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    bodies.push(text);
    headers.push(request.headers);
    const [route = ""] = (request.url ?? "").split("?");
    const { status, judged } = judgedAt(route, asksKey ? request.headers : { ...request.headers, ...SOME_KEY }, text);
    if ("refused" in judged) {
      refusals.push(judged.refused);
      const error = { type: "invalid_request_error", message: judged.refused.message };
      response.writeHead(status, { "content-type": "application/json" });
      return response.end(JSON.stringify({ type: "error", error }));
    }
    const step = `${bodies.length}`;
    const calls = plan.shift() ?? [];
    const isLast = calls.length === 0;
    if (isLast) await vendor.meanwhile();
    const said = (isLast ? texts.shift() : undefined) ?? `Said in step ${step}.`;
    const body = judged.answer({ calls, text: said }, step, meter);
    answers.push(body);
    const stream = streamed(route, JSON.parse(text), body);
    const stalls = isLast && isStalled;
    if (stalls) isStalled = false;
    response.writeHead(200, { "content-type": stream === null ? "application/json" : "text/event-stream" });
    if (stream !== null && stalls) return response.write(halfOf(stream, said));
    response.end(stream ?? JSON.stringify(body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  vendor.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return vendor;
}

const SOME_KEY = { authorization: "Bearer sk-vendor" };

function judgedAt(route: string, headers: IncomingHttpHeaders, text: string): { status: number; judged: Judged } {
  const api = APIS[route];
  if (api === undefined)
    return { status: 404, judged: { refused: { rule: "route", message: `no such route: ${route}` } } };
  for (const { name, status, problem } of api.headers) {
    const message = problem(headers);
    if (message !== null) return { status, judged: { refused: { rule: name, message } } };
  }
  return { status: 400, judged: api.judged(JSON.parse(text)) };
}

/** Returns the events up to the first piece of a text, without an end. The reader must cancel. */
function halfOf(stream: string, said: string): string {
  const events = stream.split(/(?<=\n\n)/);
  const first = events.findIndex((event) => event.includes(JSON.stringify(said.slice(0, 3))));
  return events.slice(0, first + 1).join("");
}
