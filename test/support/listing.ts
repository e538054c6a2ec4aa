// Scripted MCP servers that list tools of a test's own.

import type { Script } from "./upstream-server/scripted";

export interface ListedTool {
  name: string;
  description?: string;
  [key: string]: unknown;
}

const JSON_TYPE = { "content-type": "application/json" };

/** An answer of a scripted server. */
export const answering = (result: object) => ({
  headers: JSON_TYPE,
  body: `{"jsonrpc":"2.0","id":@id,"result":${JSON.stringify(result)}}`,
});

/** A server with these tools, whose list is read anew whenever it is wanted. */
export function listing(...tools: (string | ListedTool)[]): Script {
  const whole = tools.map((tool) => ({
    description: `Does ${typeof tool === "string" ? tool : tool.name}.`,
    inputSchema: { type: "object" },
    ...(typeof tool === "string" ? { name: tool } : tool),
  }));
  return { "tools/list": answering({ tools: whole, ttlMs: 0 }) };
}
