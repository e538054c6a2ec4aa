// Which headers pass through the transparent proxy. Whatever does not stand here stays on its side: a client's key, its cookies and
// its address never reach a server, and a server's never reach a client.

/** Headers of MCP's transports and of tracing. The session's id passes too, but sealed, so it is not among them. */
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
/** Parameters that a tool wants as headers, too. */
const PARAMETER = /^mcp-param-/;
const RETURNED = ["content-type", "allow", "retry-after", "mcp-protocol-version"];

/** What of a client's headers goes to the server, with the server's own on top. */
export function forwardedHeaders(client: Headers, own: Readonly<Record<string, string>>): Headers {
  const headers = new Headers();
  for (const [name, value] of client) {
    if (FORWARDED.has(name) || PARAMETER.test(name)) headers.set(name, value);
  }
  for (const [name, value] of Object.entries(own)) headers.set(name, value);
  return headers;
}

/** What of a server's headers goes to the client, each through `redact`. */
export function returnedHeaders(server: Headers, redact: (value: string) => string): Headers {
  const headers = new Headers({ "cache-control": "no-store" });
  for (const name of RETURNED) {
    const value = server.get(name);
    if (value !== null) headers.set(name, redact(value));
  }
  return headers;
}
