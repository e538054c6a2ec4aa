// MCP hosts of the gateway's own server: clients of the SDK, and raw requests.

import { exports } from "cloudflare:workers";
import { Client, type ClientOptions, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { fetchAs, fetchWith } from "./proxy";

const ORIGIN = "https://gateway.test";

export type Era = "legacy" | "modern";

/** Returns a client connected to `/mcp` or a path below it, in the requested protocol era. */
export async function host(
  path: string,
  user: string,
  era: Era = "legacy",
  options: ClientOptions = {},
): Promise<Client> {
  const versionNegotiation = { mode: era === "modern" ? ("auto" as const) : ("legacy" as const) };
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation, ...options });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${ORIGIN}${path}`), { fetch: fetchAs(user) }));
  return client;
}

/** Like `host`, with a key and in the earlier era. */
export async function hostWith(path: string, key: string): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "legacy" } });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${ORIGIN}${path}`), { fetch: fetchWith(key) }));
  return client;
}

/** Sends one raw request. */
export function post(
  path: string,
  user: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetchAs(user)(`${ORIGIN}${path}`, {
    method: "POST",
    headers: { accept: "application/json, text/event-stream", "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

/** Sends one raw request without a key. */
export function postOpenly(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return exports.default.fetch(`${ORIGIN}${path}`, { method: "POST", headers, body: "{}" });
}
