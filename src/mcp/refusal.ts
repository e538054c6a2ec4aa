// What the gateway refuses, as JSON-RPC says it. The one table from what the gateway means to what MCP says.

import { ProtocolError } from "@modelcontextprotocol/server";
import { rateHeaders, retryAfter } from "../domain/access/rate";
import { type ErrorCode, refusalIn } from "../domain/errors";
import { logUnexpected } from "../edge/unexpected";
import type { Context } from "../services/context";

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

/**
 * Runs something of the gateway; a refusal becomes a protocol error with its reason. What the gateway did not mean to throw is told
 * without detail, with one line in the log: the SDK would send its message to the host.
 */
export async function asProtocolError<T>({ caller }: Context, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    const refusal = refusalIn(error);
    if (refusal !== null) throw new ProtocolError(CODE[refusal.code], refusal.message, { code: refusal.reason });
    logUnexpected(error, { where: "mcp" }, caller.requestId);
    const message = "The gateway failed to answer. The request id helps its operator to find out why.";
    throw new ProtocolError(-32603, message, { code: "INTERNAL", request_id: caller.requestId });
  }
}

/** The answer to a host whose very first message is refused: nothing is served to it. Throws what is no refusal. */
export function refusedOpening(id: string | number, error: unknown): Response {
  const refusal = refusalIn(error);
  if (refusal === null) throw error;
  const headers = rateHeaders(refusal);
  return Response.json(
    {
      jsonrpc: "2.0",
      id,
      error: { code: CODE[refusal.code], message: refusal.message, data: { code: refusal.reason } },
    },
    { status: retryAfter(refusal) === null ? 400 : 503, headers },
  );
}
