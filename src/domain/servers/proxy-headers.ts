// The headers that pass through the transparent proxy. Other headers are not passed on: a client's key, cookies and address never reach a
// server, and a server's never reach a client.

/** Headers of MCP's transports and of tracing. The session id is passed on too, but encrypted, so it is not in this list. */
const FORWARDED = new Set([
  "accept",
  "content-type",
  "last-event-id",
  "mcp-protocol-version",
  "mcp-method",
  "mcp-name",
  "traceparent",
  "tracestate",
]);
/** Parameters that a tool also expects as headers. */
const PARAMETER = /^mcp-param-/;
const RETURNED = ["content-type", "allow", "retry-after", "mcp-protocol-version"];

/** Returns the client's headers for the server, overridden by the server's own. */
export function forwardedHeaders(client: Headers, own: Readonly<Record<string, string>>): Headers {
  const headers = new Headers();
  for (const [name, value] of client) {
    if (FORWARDED.has(name) || PARAMETER.test(name)) headers.set(name, value);
  }
  for (const [name, value] of Object.entries(own)) headers.set(name, value);
  return headers;
}

/** Returns the server's headers for the client, each redacted. */
export function returnedHeaders(server: Headers, redact: (value: string) => string): Headers {
  const headers = new Headers({ "cache-control": "no-store" });
  for (const name of RETURNED) {
    const value = server.get(name);
    if (value !== null) headers.set(name, redact(value));
  }
  return headers;
}
