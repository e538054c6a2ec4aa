// Loads the MCP client library. It is large, so it is loaded with the first connection rather than at the start of the Worker.

export type Sdk = typeof import("./mcp-client");

let sdk: Sdk | null = null;

export async function loadSdk(): Promise<Sdk> {
  sdk ??= await import("./mcp-client");
  return sdk;
}
