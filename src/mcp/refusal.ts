// What the gateway refuses, as JSON-RPC says it. The one table from what the gateway means to what MCP says.

import { ProtocolError } from "@modelcontextprotocol/server";
import { type ErrorCode, refusalIn } from "../domain/errors";

const CODE: Record<ErrorCode, number> = {
  invalid: -32602,
  unprocessable: -32602,
  unauthenticated: -32600,
  forbidden: -32600,
  not_found: -32602,
  conflict: -32600,
  too_large: -32600,
  rate_limited: -32000,
  unavailable: -32000,
};

/** Runs something of the gateway; a refusal becomes a protocol error with its reason, anything else goes on as it is. */
export async function asProtocolError<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const refusal = refusalIn(error);
    if (refusal === null) throw error;
    throw new ProtocolError(CODE[refusal.code], refusal.message, { code: refusal.reason });
  }
}

/** The answer to a host whose very first message is refused: nothing is served to it. Throws what is no refusal. */
export function refusedOpening(id: string | number, error: unknown): Response {
  const refusal = refusalIn(error);
  if (refusal === null) throw error;
  const later = refusal.code === "unavailable" || refusal.code === "rate_limited";
  return Response.json(
    {
      jsonrpc: "2.0",
      id,
      error: { code: CODE[refusal.code], message: refusal.message, data: { code: refusal.reason } },
    },
    { status: later ? 503 : 400, headers: later ? { "retry-after": "2" } : {} },
  );
}
