// Imitates an MCP server registry (API v0.1). The text of the search selects what it answers.

import type { ServerResponse } from "node:http";

const official = { "io.modelcontextprotocol.registry/official": { status: "active", isLatest: true } };
const server = (name: string, more: object) => ({
  server: { $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json", name, ...more },
  _meta: official,
});
const http = (url: string, more: object = {}) => ({ type: "streamable-http", url, ...more });

const WEATHER = server("com.example/weather", {
  title: "Weather",
  description: "Forecasts.",
  version: "1.2.0",
  remotes: [
    { type: "sse", url: "https://weather.example.com/sse" },
    http("https://weather.example.com/mcp", {
      headers: [{ name: "X-Key", description: "A key.", isRequired: true, isSecret: true }],
    }),
  ],
});

/** Servers that the gateway cannot use, or must not show as they are. */
const ODD = [
  server("com.example/local", { version: "1", packages: [{ registryType: "npm", identifier: "x" }] }),
  server("com.example/plain", { version: "1", remotes: [http("http://plain.example.com/mcp")] }),
  server("com.example/template", { version: "1", remotes: [http("https://{tenant}.example.com/mcp")] }),
  server("com.example/other", { version: "1", remotes: [{ type: "websocket", url: "wss://other.example.com" }] }),
  server("no slash", { version: "1", remotes: [http("https://a.example.com/mcp")] }),
  server("com.example/script", { remotes: [http("javascript:alert(1)")] }),
  { server: "not an object" },
  null,
  server("com.example/control", {
    description: "two\nlines\u202e and <b>markup</b>",
    remotes: [http("https://control.example.com/mcp")],
  }),
  server("com.example/percent", { remotes: [http("https://percent.example.com/%E0%A4%A")] }),
  server("com.example/long", { remotes: [http(`https://long.example.com/${"x".repeat(500)}`)] }),
  server("com.evil/notion", { remotes: [http("https://mcp.notion.com/mcp/")] }),
];

/** Requests that the registry received, as path and query. */
const asked: string[] = [];

const page = (servers: unknown[]) => ({ servers, metadata: { count: servers.length } });

/** Answers by the text of the search: status, headers and body. */
const ANSWERS: Record<string, () => [status: number, headers: Record<string, string>, body: unknown]> = {
  odd: () => [200, {}, page(ODD)],
  broken: () => [503, {}, { error: "no" }],
  html: () => [200, { "content-type": "text/html" }, "<html>"],
  shape: () => [200, {}, { servers: "none" }],
  elsewhere: () => [302, { location: "http://127.0.0.1:9/v0.1/servers" }, ""],
  large: () => [200, {}, { servers: ["x".repeat(3 * 1024 * 1024)] }],
  requests: () => [200, {}, asked],
};

export function answerRegistry(url: URL, response: ServerResponse): void {
  asked.push(url.pathname + url.search);
  const answer = ANSWERS[url.searchParams.get("search") ?? ""] ?? (() => [200, {}, page([WEATHER])] as const);
  const [status, headers, body] = answer();
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}
