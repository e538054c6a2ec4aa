// A vendor's API on a port of its own, for one chat: it judges every request by the vendor's rules, and its model does what it was told.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { aiAnswer, aiSchema } from "./ai-gateway";
import { MESSAGES_RULES, messagesAnswer, messagesSchema } from "./anthropic";
import { CHAT_RULES, chatAnswer, chatSchema } from "./openai-chat";
import { RESPONSES_RULES, responsesAnswer, responsesSchema } from "./openai-responses";
import { PrefixMeter } from "./prefix-meter";
import { judge, type Move, type Refused } from "./rule";
import { streamed } from "./stream";

type Judged = { answer(move: Move, step: string, meter: PrefixMeter): object } | { refused: Refused };

const APIS: Record<string, (body: unknown) => Judged> = {
  "/v1/messages": (body) => {
    const { request, refused } = judge(messagesSchema, MESSAGES_RULES, body);
    return refused === null ? { answer: (move, step) => messagesAnswer(request, move, step) } : { refused };
  },
  "/v1/chat/completions": (body) => {
    const { request, refused } = judge(chatSchema, CHAT_RULES, body);
    return refused === null ? { answer: (move, step, meter) => chatAnswer(request, move, step, meter) } : { refused };
  },
  "/v1/responses": (body) => {
    const { request, refused } = judge(responsesSchema, RESPONSES_RULES, body);
    return refused === null
      ? { answer: (move, step, meter) => responsesAnswer(request, move, step, meter) }
      : { refused };
  },
  "/language-model": (body) => {
    const { refused } = judge(aiSchema, [], body);
    return refused === null ? { answer: (move, step) => aiAnswer(move, step) } : { refused };
  },
};

export interface Vendor {
  url: string;
  /** The bodies as they came, in order. */
  bodies: string[];
  refusals: Refused[];
  meter: PrefixMeter;
  /** What the model does in its next steps; after them it says something. */
  plan: Move["calls"][];
  /** What happens while the model thinks about its last words in a turn. */
  meanwhile: () => Promise<void>;
  close(): Promise<void>;
}

export async function startVendor(): Promise<Vendor> {
  const vendor: Vendor = {
    ...{ url: "", bodies: [], refusals: [], plan: [], meter: new PrefixMeter() },
    meanwhile: async () => {},
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
  const { bodies, refusals, plan, meter } = vendor;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    bodies.push(text);
    const judged = APIS[request.url ?? ""]?.(JSON.parse(text)) ?? {
      refused: { rule: "route", message: `no such route: ${request.url}` },
    };
    const isRefused = "refused" in judged;
    if (isRefused) refusals.push(judged.refused);
    const step = `${bodies.length}`;
    const calls = plan.shift() ?? [];
    if (calls.length === 0) await vendor.meanwhile();
    const body = isRefused
      ? { type: "error", error: { type: "invalid_request_error", message: judged.refused.message } }
      : judged.answer({ calls, text: `Said in step ${step}.` }, step, meter);
    const stream = isRefused ? null : streamed(request.url ?? "", JSON.parse(text), body);
    response.writeHead(isRefused ? 400 : 200, {
      "content-type": stream === null ? "application/json" : "text/event-stream",
    });
    response.end(stream ?? JSON.stringify(body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  vendor.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return vendor;
}
