// Loads the code that connects to MCP servers with the first server of a conversation, because most conversations have none.

let connections: typeof import("./connections") | null = null;

/** Returns the functions of `connections.ts`. */
export async function loadConnections(): Promise<typeof import("./connections")> {
  connections ??= await import("./connections");
  return connections;
}
