// The MCP client library. It is large, so it is read when the first server is connected and not when the Worker starts.

export type Sdk = typeof import("./mcp-client");

export function loadSdk(): Promise<Sdk> {
  return import("./mcp-client");
}
