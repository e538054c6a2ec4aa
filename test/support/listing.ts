// Scripted MCP servers with the tools that a test defines.

import type { Script } from "./upstream-server/scripted";

export interface ListedTool {
  name: string;
  description?: string;
  [key: string]: unknown;
}

const JSON_TYPE = { "content-type": "application/json" };

/** Returns a response of a scripted server. */
export const answering = (result: object) => ({
  headers: JSON_TYPE,
  body: `{"jsonrpc":"2.0","id":@id,"result":${JSON.stringify(result)}}`,
});

/** Returns a server with these tools. Clients cannot cache its list. */
export function listing(...tools: (string | ListedTool)[]): Script {
  const whole = tools.map((tool) => ({
    description: `Does ${typeof tool === "string" ? tool : tool.name}.`,
    inputSchema: { type: "object" },
    ...(typeof tool === "string" ? { name: tool } : tool),
  }));
  return { "tools/list": answering({ tools: whole, ttlMs: 0 }) };
}
