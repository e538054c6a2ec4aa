// An MCP server of either era that sends questions to the client: `/asking-modern/none` and `/asking-legacy/none`.
//
// Its tool `ask` takes `{ rounds: [{ <key>: { method, params } }…] }` and returns the answers as JSON. Its prompt `ask` does the same with
// the rounds as text. `/asking-standing/<name>` sends questions on the stream of its session. Only one client can listen at a time, and
// without a listener a question is lost.

import type { IncomingMessage, ServerResponse } from "node:http";

type Rounds = Record<string, object>[];

interface Message {
  id?: string | number;
  method?: string;
  result?: unknown;
  error?: unknown;
  params?: {
    arguments?: { rounds?: Rounds | string; last?: string };
    inputResponses?: Record<string, unknown>;
    requestState?: string;
    capabilities?: unknown;
    _meta?: Record<string, unknown>;
  };
}

const COMPLETE = { resultType: "complete", ttlMs: 120_000, cacheScope: "private" };
const TOOLS = [{ name: "ask", description: "Asks.", inputSchema: { type: "object" } }];
const PROMPTS = [{ name: "ask", arguments: [{ name: "rounds" }] }];
const CAPABILITIES = { tools: {}, prompts: {} };
const INFO = { name: "asking", version: "1" };

/** Callbacks for answers, by the id of the question. */
const waiting = new Map<string | number, (answer: Message) => void>();
let questions = 0;
/** Open streams, by the path of the server. */
const listening = new Map<string, ServerResponse>();

export async function answerAsking(
  fault: string,
  message: Message,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const send = (value: object, status = 200, headers = {}) =>
    void response
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(JSON.stringify({ jsonrpc: "2.0", id: message.id ?? null, ...value }));
  const isModern = fault === "asking-modern";
  const path = request.url ?? "";
  if (request.method === "GET") {
    if (listening.has(path)) return void response.writeHead(409).end();
    listening.set(path, response);
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    // The server notices a closed stream only after a delay.
    return void response.on("close", () => setTimeout(() => listening.delete(path), 60));
  }
  if (message.method === undefined && message.id !== undefined) {
    waiting.get(message.id)?.(message);
    return void response.writeHead(202).end();
  }
  switch (message.method) {
    case "server/discover": {
      if (!isModern) return send({ error: { code: -32601, message: "Method not found" } }, 400);
      const meta = { _meta: { "io.modelcontextprotocol/serverInfo": INFO } };
      return send({
        result: { ...COMPLETE, supportedVersions: ["2026-07-28"], capabilities: CAPABILITIES, ...meta },
      });
    }
    case "initialize":
      return send({ result: { protocolVersion: "2025-11-25", capabilities: CAPABILITIES, serverInfo: INFO } }, 200, {
        "mcp-session-id": "asking",
      });
    case "tools/list":
      return send({ result: { ...(isModern ? COMPLETE : {}), tools: TOOLS } });
    case "prompts/list":
      return send({ result: { ...(isModern ? COMPLETE : {}), prompts: PROMPTS } });
    case "prompts/get":
    case "tools/call":
      if (isModern) return send({ result: modern(message) });
      return legacy(message, response, fault === "asking-standing" ? () => listening.get(path) : () => response);
    case undefined:
      return void response.writeHead(405).end();
    default:
      return void response.writeHead(202).end();
  }
}

/** The request state contains the number of completed rounds and their answers. */
function modern(message: Message): object {
  const { inputResponses, requestState } = message.params ?? {};
  const before: unknown[] = requestState === undefined ? [] : JSON.parse(requestState);
  const answersSoFar = requestState === undefined ? before : [...before, inputResponses ?? {}];
  const next = roundsOf(message)[answersSoFar.length];
  if (next === undefined) return { ...COMPLETE, ...resultOf(message, answersSoFar) };
  return { resultType: "input_required", inputRequests: next, requestState: JSON.stringify(answersSoFar) };
}

function roundsOf({ params }: Message): Rounds {
  const rounds = params?.arguments?.rounds ?? [];
  return typeof rounds === "string" ? JSON.parse(rounds) : rounds;
}

function resultOf({ method, params }: Message, answersSoFar: unknown): object {
  const content = { type: "text", text: params?.arguments?.last ?? JSON.stringify(answersSoFar) };
  return method === "prompts/get" ? { messages: [{ role: "user", content }] } : { content: [content] };
}

async function legacy(
  message: Message,
  response: ServerResponse,
  asking: () => ServerResponse | undefined,
): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const write = (to: ServerResponse | undefined, value: object) =>
    to?.write(`data: ${JSON.stringify({ jsonrpc: "2.0", ...value })}\n\n`) ?? null;
  const answersSoFar: Record<string, unknown>[] = [];
  for (const round of roundsOf(message)) {
    const answers: Record<string, unknown> = {};
    for (const [key, asked] of Object.entries(round)) {
      const question = `question-${++questions}`;
      const { promise, resolve } = Promise.withResolvers<Message>();
      waiting.set(question, resolve);
      if (write(asking(), { id: question, ...asked }) === null) resolve({ error: "nobody listens" });
      const { result, error } = await promise;
      answers[key] = result ?? { error };
    }
    answersSoFar.push(answers);
  }
  write(response, { id: message.id, result: resultOf(message, answersSoFar) });
  response.end();
}
