// Misbehaving MCP servers by path: `/<fault>/<where>`. A small server of the 2025 era with deliberate faults.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { answerAsking } from "./asking";
import { answerModern } from "./modern";
import { answerSignIn } from "./oauth";
import { answerRegistry } from "./registry";
import { answerScripted } from "./scripted";
import { acceptSocket } from "./socket";

interface Message {
  id?: string | number;
  method?: string;
  params?: { name?: string; cursor?: string; arguments?: Record<string, unknown>; _meta?: Record<string, unknown> };
}

/** The requests that the server received. */
export interface Seen {
  /** Number of open connections, without the one that sent this request. */
  open: number;
  requests: { path: string; http: string; method: string; headers: Record<string, string>; body: string }[];
}

const PROTOCOL = "2025-11-25";
const schema = (extra: object = {}) => ({ type: "object", properties: {}, ...extra });
const tool = (name: string, extra: object = {}) => ({
  name,
  description: `Tool ${name}.`,
  inputSchema: schema(),
  ...extra,
});

export async function startFaults(): Promise<{ url: string; close(): void }> {
  const sockets = new Set<Socket>();
  const sessions = new Set<string>();
  let requests: Seen["requests"] = [];
  /** Calls that have already lost their session. Each loses it once. */
  const lost = new Set<string>();
  const seenIds = new Set<string>();
  let counter = 0;
  let healed = false;

  const server: Server = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => undefined);
  });

  server.on("upgrade", acceptSocket);

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // Each connection serves one request, so the number of open connections equals the number of requests in progress.
    response.setHeader("connection", "close");
    response.on("error", () => undefined);
    const url = new URL(request.url ?? "/", "http://localhost");
    if (url.pathname === "/v0.1/servers") return answerRegistry(url, response);
    const [, fault = "", where = ""] = url.pathname.split("/");
    if (fault === "seen") return json(response, { open: sockets.size - 1, requests });
    if (fault === "heal") {
      healed = true;
      return json(response, {});
    }
    if (fault === "forget") {
      healed = false;
      sessions.clear();
      requests = [];
      return json(response, {});
    }
    const body = await read(request);
    if (fault === "scripted" && request.method === "PUT") return answerScripted(where, body, request, response);
    if (await answerSignIn(url.pathname, body, request, response)) return;
    const message: Message = body === "" ? {} : JSON.parse(body);
    const { method = "" } = message;
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    requests.push({ path: url.pathname, http: request.method ?? "", method, headers, body });
    if (fault === "scripted") return answerScripted(where, body, request, response);
    if (fault === "endpoint") return stream(response, "event: endpoint\ndata: https://example.com/messages\n\n");
    const isListening = fault === "asking-standing" && request.method === "GET";
    if (request.method !== "POST" && !isListening) return json(response, { error: "no" }, 405);
    if (fault.startsWith("asking")) return answerAsking(fault, message, request, response);
    if (fault.startsWith("modern") && !(fault === "modern-downgraded" && healed))
      return answerModern(fault, message, request, response);
    if (method === "server/discover") return error(response, message, -32601, "Method not found", 400);
    const session = String(request.headers["mcp-session-id"] ?? "");
    if (method !== "initialize" && fault !== "stateless" && !sessions.has(session)) {
      return json(response, { error: "no such session" }, fault === "lost400" ? 400 : 404);
    }
    // Requests are identified by their ids. A strict server accepts an id only once per session.
    const key = `${session} ${JSON.stringify(message.id)}`;
    if (where === "strict" && message.id !== undefined && method !== "initialize" && seenIds.has(key))
      return error(response, message, -32600, "this id was used before");
    seenIds.add(key);
    if (message.id === undefined) {
      response.writeHead(202).end();
      return;
    }
    const at = { initialize: "connect", "tools/list": "list", "tools/call": "call" }[method];
    if (fault === "late" && at === where) await new Promise((resolve) => setTimeout(resolve, 4_000));
    if (fault === "healing" && at === where && !healed) return json(response, { error: "not yet" }, 503);
    if (at === where && misbehave(fault, message, response)) return;
    // Behaves correctly except for calls that request a fault.
    const asked = fault === "tenth" && method === "tools/call" ? String(message.params?.arguments?.fault ?? "") : "";
    const nonce = String(message.params?.arguments?.nonce ?? "");
    if (asked === "lost" && !lost.has(nonce)) {
      lost.add(nonce);
      sessions.delete(session);
      return json(response, { error: "no such session" }, 404);
    }
    if (misbehave(asked, message, response)) return;
    if (method === "initialize") {
      // A server that exposes the received credential.
      const id = `session-${++counter}${fault === "leak" ? `-${leaked(request)}` : ""}`;
      if (fault !== "stateless") {
        sessions.add(id);
        response.setHeader("mcp-session-id", id);
      }
      const capabilities = { tools: { listChanged: true } };
      return result(response, message, {
        protocolVersion: PROTOCOL,
        capabilities,
        serverInfo: { name: "faults", version: "1" },
      });
    }
    if (fault === "leak" && method === "tools/list") {
      const description = `Says ${leaked(request)}, also as ${btoa(leaked(request))}.`;
      return result(response, message, {
        tools: [tool("headers"), tool("fails"), tool("slow"), tool("told", { description })],
      });
    }
    if (method === "tools/list") return result(response, message, list(fault, message));
    if (method === "tools/call") return call(fault, message, request, response, session);
    return error(response, message, -32601, "Method not found");
  }

  /** Applies a fault. Returns whether it did. */
  function misbehave(fault: string, message: Message, response: ServerResponse): boolean {
    const { id } = message;
    switch (fault) {
      case "hang":
        return true;
      case "headers":
        response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
        return true;
      case "drip":
        drip(response, "text/event-stream", ":");
        return true;
      case "dripjson":
        drip(response, "application/json", " ");
        return true;
      case "break":
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write('data: {"jsonrpc":"2.0",', () => response.destroy());
        return true;
      case "breakjson":
        response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
        response.write('{"jsonrpc":"2.0",', () => response.destroy());
        return true;
      case "end":
        stream(response, ": nothing follows\n\n");
        return true;
      case "s500":
        json(response, { error: "it broke" }, 500);
        return true;
      case "s401":
        json(response, { error: "who are you" }, 401);
        return true;
      case "s429":
        response.setHeader("retry-after", "7");
        json(response, { error: "slower" }, 429);
        return true;
      case "json":
        response.writeHead(200, { "content-type": "application/json" }).end('{"jsonrpc":');
        return true;
      case "html":
        response.writeHead(200, { "content-type": "text/html" }).end("<h1>Hello</h1>");
        return true;
      case "empty":
        response.writeHead(202).end();
        return true;
      case "big":
        big(response, "application/json", '{"jsonrpc":"2.0","id":0,"result":"');
        return true;
      case "bigstream":
        big(response, "text/event-stream", "data: ");
        return true;
      case "ids":
        json(response, { jsonrpc: "2.0", id: `${id}-other`, result: {} });
        return true;
      case "idstream":
        stream(response, `data: ${JSON.stringify({ jsonrpc: "2.0", id: 99_999, result: {} })}\n\n`);
        return true;
      case "norpc":
        json(response, { hello: "world" });
        return true;
      case "nonsense":
        result(response, message, { nothing: true, content: "no list", tools: 5 });
        return true;
      case "private":
        response.writeHead(307, { location: "http://10.0.0.1/mcp" }).end();
        return true;
      case "other":
        response.writeHead(307, { location: `http://localhost:${port()}/ok/none` }).end();
        return true;
      case "moved":
        response.writeHead(308, { location: "/ok/none" }).end();
        return true;
      case "found":
        response.writeHead(302, { location: "/ok/none" }).end();
        return true;
      case "circle":
        response.writeHead(307, { location: "?again" }).end();
        return true;
      case "error":
        error(response, message, -32603, "the tool's own words");
        return true;
      default:
        return false;
    }
  }

  const port = () => (server.address() as AddressInfo).port;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${port()}`,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function list(fault: string, { params }: Message): object {
  if (fault === "pages") {
    const page = Number(params?.cursor ?? 0);
    return { tools: [tool(`page_${page}`)], nextCursor: String(page + 1) };
  }
  if (fault === "same") return { tools: [tool("echo")], nextCursor: "again" };
  if (fault === "many") return { tools: Array.from({ length: 10_000 }, (_, index) => tool(`tool_${index}`)) };
  if (fault === "names")
    return { tools: [tool("a b"), tool("a_b"), tool("a b"), tool("x".repeat(200)), tool("y".repeat(300)), tool("")] };
  if (fault === "draft07")
    return {
      tools: [
        tool("echo", {
          inputSchema: schema({
            $schema: "http://json-schema.org/draft-07/schema#",
            definitions: { text: { type: "string" } },
            properties: { message: { $ref: "#/definitions/text" } },
          }),
          outputSchema: schema({ $schema: "http://json-schema.org/draft-07/schema#", required: ["never"] }),
        }),
      ],
    };
  if (fault === "mixed")
    return { tools: [{ name: "broken" }, { name: "worse", inputSchema: { type: "string" } }, tool("echo")] };
  return { tools: ["echo", "headers", "slow", "changed", "large", "text"].map((name) => tool(name)) };
}

async function call(
  fault: string,
  message: Message,
  request: IncomingMessage,
  response: ServerResponse,
  session: string,
): Promise<void> {
  const { name, arguments: args = {}, _meta } = message.params ?? {};
  const text = (value: string) => ({ content: [{ type: "text", text: value }] });
  switch (name) {
    case "fails":
      return error(response, message, -32603, `Cannot do it with ${leaked(request)}`);
    case "headers":
      return result(response, message, text(JSON.stringify(request.headers)));
    case "slow": {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (let step = 1; step <= 3; step++) {
        const params = {
          progressToken: _meta?.progressToken,
          progress: step,
          total: 3,
          message: `step ${step}${fault === "leak" ? ` with ${leaked(request)}` : ""}`,
        };
        response.write(event({ jsonrpc: "2.0", method: "notifications/progress", params }));
      }
      if (args.end !== true) return;
      response.end(event({ jsonrpc: "2.0", id: message.id, result: text("done") }));
      return;
    }
    case "changed":
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(event({ jsonrpc: "2.0", method: "notifications/tools/list_changed" }));
      response.end(event({ jsonrpc: "2.0", id: message.id, result: text("changed") }));
      return;
    case "large":
      return result(response, message, {
        content: [
          { type: "text", text: "x".repeat(300_000) },
          { type: "image", data: "A".repeat(2_000_000), mimeType: "image/png" },
          { type: "text", text: "the end" },
        ],
        structuredContent: { rows: "y".repeat(300_000) },
      });
    default:
      return result(response, message, {
        ...text(`${fault}: ${JSON.stringify(args)}`),
        structuredContent: { args, session, owner: String(request.headers["x-owner"] ?? "") },
      });
  }
}

/** Returns the credential of a request. */
function leaked(request: IncomingMessage): string {
  return String(request.headers["x-api-key"] ?? "").replace(/^Key /, "");
}

function event(message: object): string {
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`;
}

function result(response: ServerResponse, { id }: Message, value: object): void {
  json(response, { jsonrpc: "2.0", id, result: value });
}

function error(response: ServerResponse, { id }: Message, code: number, message: string, status = 200): void {
  json(response, { jsonrpc: "2.0", id: id ?? null, error: { code, message } }, status);
}

function json(response: ServerResponse, value: object, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

function stream(response: ServerResponse, text: string): void {
  response.writeHead(200, { "content-type": "text/event-stream" }).end(text);
}

function drip(response: ServerResponse, type: string, byte: string): void {
  response.writeHead(200, { "content-type": type });
  const timer = setInterval(() => response.write(byte), 100);
  response.on("close", () => clearInterval(timer));
}

/** Sends 100 MB as fast as the client reads. */
function big(response: ServerResponse, type: string, head: string): void {
  response.writeHead(200, { "content-type": type });
  response.write(head);
  const piece = "x".repeat(1_048_576);
  let sent = 0;
  const more = () => {
    while (sent < 100 && !response.destroyed) {
      sent++;
      if (!response.write(piece)) return void response.once("drain", more);
    }
    response.end();
  };
  more();
}

async function read(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString();
}
