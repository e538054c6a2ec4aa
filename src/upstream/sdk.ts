// The MCP client library. It is large, so it is read when the first server is connected and not when the Worker starts.

export type Sdk = typeof import("./mcp-client");

let sdk: Sdk | null = null;

export async function loadSdk(): Promise<Sdk> {
  sdk ??= await import("./mcp-client");
  return sdk;
}
