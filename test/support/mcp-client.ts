// MCP hosts of the gateway's own server, as tests use them: clients of the SDK, and requests as they are.

import { exports } from "cloudflare:workers";
import { Client, type ClientOptions, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { fetchAs, fetchWith } from "./proxy";

const ORIGIN = "https://gateway.test";

export type Era = "legacy" | "modern";

/** A client that is connected to `/mcp` or below it, in the era that it asks for. */
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

/** The same with a key, in the earlier era. */
export async function hostWith(path: string, key: string): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "legacy" } });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${ORIGIN}${path}`), { fetch: fetchWith(key) }));
  return client;
}

/** Sends one request as it is. */
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

/** The same without a key. */
export function postOpenly(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return exports.default.fetch(`${ORIGIN}${path}`, { method: "POST", headers, body: "{}" });
}
