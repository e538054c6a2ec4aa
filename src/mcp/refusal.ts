// What the gateway refuses, as JSON-RPC says it. Its table leads from what the gateway means to what MCP says.

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

/** What MCP says of a tool, a skill or a file that is not there. */
const NOT_THERE: readonly number[] = [-32602, -32002];

/**
 * Runs something of the gateway. A refusal becomes a protocol error with its reason. Any other error is logged in one line, and the
 * client gets no detail of it: the SDK would send its message.
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

/** Runs it once more where it was refused and who calls was not asked of the primary: a no must not be old. */
export function retryRefusedOnPrimary<T>(context: Context, run: () => Promise<T>): Promise<T> {
  return run().catch(async (error: unknown) => {
    const isRefused = isRefusal(error) || (error instanceof ProtocolError && NOT_THERE.includes(error.code));
    if (!isRefused || !(await context.makeCertain?.())) throw error;
    return run();
  });
}

/** The answer to a client whose very first message is refused: nothing is served to it. Throws what is no refusal. */
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
