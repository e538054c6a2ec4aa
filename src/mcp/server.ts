// /mcp and /mcp/{conversation_id}: the gateway as an MCP server. The SDK is loaded for the first client.

import { isDeeper } from "../domain/json";
import { REQUEST_LIMITS } from "../domain/limits";
import { readBody, TOO_DEEP, TOO_LARGE } from "../edge/body";
import type { Context } from "../services/context";
import type { ClientPlace } from "./client-scope";

/** Cached from the first request on, because another `import()` would be one more wait. */
let exchange: typeof import("./exchange") | null = null;

/** Handles one HTTP request of an MCP client of either era. Nothing but the conversation is stored between requests. */
export async function serve(context: Context, request: Request, place: ClientPlace): Promise<Response> {
  exchange ??= await import("./exchange");
  const { answerClient } = exchange;
  if (request.method !== "POST") return answerClient(context, request, place, undefined);
  const text = await readBody(request);
  if (text === null) return rpcRefusal(413, -32600, TOO_LARGE);
  if (isDeeper(text, REQUEST_LIMITS.jsonDepth)) return rpcRefusal(400, -32600, TOO_DEEP);
  const message = parse(text);
  if (message === undefined) return rpcRefusal(400, -32700, "The body is not valid JSON. Fix the syntax.");
  if (Array.isArray(message))
    return rpcRefusal(400, -32600, "Batches are not supported. Send one message per request.");
  return answerClient(context, request, place, message);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function rpcRefusal(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", id: null, error: { code, message } }, { status });
}
