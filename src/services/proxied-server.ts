// One of the gateway's own servers, ready to be reached in the name of a caller.

import { readMcpServer } from "../storage/mcp-servers";
import type { Context } from "./context";
import type { ProxiedServer } from "./exchange";

/** The server of this name, with its variables filled for the caller; `null` when there is none. */
export async function proxiedServer(context: Context, name: string): Promise<ProxiedServer | null> {
  const row = await readMcpServer(context.db, name);
  if (row === null) return null;
  const { url, type, headers, timeout, connect_timeout } = row;
  return {
    target: {
      name,
      type: type === "sse" ? "sse" : "streamable-http",
      url,
      headers: headers ?? {},
      era: "auto",
      connectMs: (connect_timeout ?? 30) * 1_000,
      callMs: (timeout ?? 60) * 1_000,
    },
    configuredUrl: url,
    isAllowed: null,
    redact: (text) => text,
  };
}
