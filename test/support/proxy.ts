// Helpers for the transparent proxy: named servers of the gateway, requests of a user to them, and SDK clients.

import { exports } from "cloudflare:workers";
import {
  Client,
  type ClientOptions,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { call, keyFor } from "./call";
import { perFile } from "./per-file";

const ORIGIN = "https://gateway.test";

/** Creates or changes a server of the gateway. */
export async function addServer(name: string, entry: Record<string, unknown>): Promise<void> {
  const answer = await call("PUT", `/api/v1/mcp-servers/${name}`, { json: entry });
  if (!answer.ok) throw new Error(await answer.text());
}

const keys = new Map<string, string>();
await perFile(() => keys.clear());

async function keyOf(user: string): Promise<string> {
  const key = keys.get(user) ?? (await keyFor(user));
  keys.set(user, key);
  return key;
}

/** Returns a fetch that acts for a user. */
export function fetchAs(user: string): typeof fetch {
  return async (input, init) => fetchWith(await keyOf(user))(input, init);
}

/** Returns a fetch with a key. */
export function fetchWith(key: string): typeof fetch {
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set("authorization", `Bearer ${key}`);
    return exports.default.fetch(new Request(String(input), { ...init, headers } as RequestInit));
  };
}

export interface Sent {
  user?: string;
  method?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** Sends one raw message to a server, or a request without a body if there is no message. */
export async function send(name: string, message: unknown, { user = "alice", ...init }: Sent = {}): Promise<Response> {
  const accept = { accept: "application/json, text/event-stream", "content-type": "application/json" };
  const body = message === null ? {} : { body: typeof message === "string" ? message : JSON.stringify(message) };
  return fetchAs(user)(`${ORIGIN}/mcp/servers/${name}`, {
    method: message === null ? "GET" : "POST",
    ...init,
    ...body,
    headers: { ...accept, ...init.headers },
  });
}

export function request(method: string, params: object = {}, id: string | number = 1) {
  return { jsonrpc: "2.0", id, method, params };
}

export const INITIALIZE = request("initialize", {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "test", version: "1" },
});

/** Begins a session and returns its headers. */
export async function session(name: string, user = "alice"): Promise<Record<string, string>> {
  const answer = await send(name, INITIALIZE, { user });
  const id = answer.headers.get("mcp-session-id");
  await answer.text();
  if (id === null) throw new Error(`no session: HTTP ${answer.status}`);
  const headers = { "mcp-session-id": id, "mcp-protocol-version": "2025-11-25" };
  await (await send(name, { jsonrpc: "2.0", method: "notifications/initialized" }, { user, headers })).text();
  return headers;
}

/** Returns an SDK client connected through the proxy. */
export async function connect(
  name: string,
  type: "http" | "sse" = "http",
  user = "alice",
  options: ClientOptions = {},
) {
  const client = new Client({ name: "test", version: "1" }, options);
  const url = new URL(`${ORIGIN}/mcp/servers/${name}`);
  const Transport = type === "sse" ? SSEClientTransport : StreamableHTTPClientTransport;
  await client.connect(new Transport(url, { fetch: fetchAs(user) }));
  return client;
}

/** Returns the messages of a response, streamed or not. */
export async function messages(answer: Response): Promise<RpcAnswer[]> {
  const text = await answer.text();
  if (!answer.headers.get("content-type")?.includes("event-stream")) return [JSON.parse(text)];
  return [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data!));
}

export interface RpcAnswer {
  id: string | number | null;
  method?: string;
  result?: { content: { type: string; text: string }[]; [more: string]: unknown };
  error?: { code: number; message: string };
}
