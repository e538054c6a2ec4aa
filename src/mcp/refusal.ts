// Maps refusals to JSON-RPC errors.

import { ProtocolError } from "@modelcontextprotocol/server";
import { rateHeaders, retryAfter } from "../domain/access/rate";
import { type ErrorCode, isRefusal, refusalIn } from "../domain/errors";
import { logUnexpected } from "../edge/unexpected";
import type { Context } from "../services/context";

const CODE: Record<ErrorCode, number> = {
  invalid: -32602,
  unprocessable: -32602,
  unauthenticated: -32600,
  forbidden: -32600,
  not_found: -32602,
  conflict: -32600,
  outdated: -32600,
  too_large: -32600,
  rate_limited: -32000,
  unavailable: -32000,
};

/** MCP's codes for a missing tool, skill or file. */
const NOT_THERE: readonly number[] = [-32602, -32002];

/**
 * Converts a refusal to a protocol error. Other errors are logged in one line, and the client receives no details: the SDK would send its
 * message.
 */
export async function asProtocolError<T>(context: Context, run: () => Promise<T>): Promise<T> {
  const { caller } = context;
  try {
    return await retryRefusedOnPrimary(context, run);
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    const refusal = refusalIn(error);
    if (refusal !== null) throw new ProtocolError(CODE[refusal.code], refusal.message, { code: refusal.reason });
    logUnexpected(error, { where: "mcp" }, caller.requestId);
    const message = "Internal error. Report the request id to the operator of the gateway.";
    throw new ProtocolError(-32603, message, { code: "INTERNAL", request_id: caller.requestId });
  }
}

/** Runs it again after a refusal if the caller was not read from the primary, because a refusal must not be based on old data. */
export function retryRefusedOnPrimary<T>(context: Context, run: () => Promise<T>): Promise<T> {
  return run().catch(async (error: unknown) => {
    const isRefused = isRefusal(error) || (error instanceof ProtocolError && NOT_THERE.includes(error.code));
    if (!isRefused || !(await context.makeCertain?.())) throw error;
    return run();
  });
}

/** Returns the response to a rejected first message. Rethrows other errors. */
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
