// Runs a client's tool call in its conversation. It is cancelled with the client's request and reports progress if requested.

import { waitUntil } from "cloudflare:workers";
import { LOG_LEVEL_META_KEY, type ServerContext } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { JsonObject } from "../domain/json";
import { logLevelSchema } from "../domain/servers/log";
import { readTraceContext } from "../domain/telemetry/trace-context";
import { type ToolResult, toolResultSchema } from "../domain/tool";
import type { Context } from "../services/context";
import { type ToolCallsRequest, targetWithTrace, unwrap } from "../services/conversation/api";
import { type ToolCallsReply, toolCallsReplySchema } from "../services/conversation/replies";
import type { ClientConversation } from "./client-scope";
import {
  cancelWithRequest,
  clientCallOf,
  forwardCallEvents,
  type HostExchange,
  type Required,
  sendLog,
} from "./rounds";

const answerSchema = toolCallsReplySchema().extend({ things_changed: z.boolean().optional() });
/** MCP reserves these names in `_meta` (SEP-414). */
const traceSchema = z.object({ traceparent: z.string().optional(), tracestate: z.string().optional() });
const envelopeSchema = z.object({ [LOG_LEVEL_META_KEY]: logLevelSchema.optional().catch(undefined) });

/**
 * Runs a call, or continues one that asked its host. Returns `null` if the conversation has no such tool. Hosts of the legacy era are
 * notified of a changed tool list in the call's stream.
 */
export async function callInConversation(
  context: Context,
  conversation: ClientConversation,
  name: string,
  args: JsonObject,
  exchange: HostExchange,
): Promise<ToolResult | Required | null> {
  const { api, client } = conversation;
  const { ctx, era } = exchange;
  const { traceparent, tracestate } = traceSchema.safeParse(ctx.mcpReq._meta).data ?? {};
  const named = readTraceContext(traceparent, tracestate);
  const target = named === null ? conversation.target : targetWithTrace(conversation.target, named);
  const isLegacy = era === "legacy";
  const made = clientCallOf(context, ctx);
  const wanted = envelopeSchema.safeParse(ctx.mcpReq.envelope).data?.[LOG_LEVEL_META_KEY];
  const request: ToolCallsRequest = {
    calls: [{ id: made.id, name, arguments: args }],
    format: "mcp",
    etag: null,
    usage: null,
    client,
    hearsChanges: isLegacy,
    logs: era === "legacy" ? "kept" : wanted,
    ...(made.answers === undefined ? {} : { answers: made.answers }),
  };
  return cancelWithRequest(conversation, ctx, made, async () => {
    if (ctx.mcpReq._meta?.progressToken === undefined && client.host === undefined && wanted === undefined)
      return resultIn(unwrap(await api.toolCalls(target, request, null)), isLegacy, ctx);
    const stream = unwrap(await api.streamCalls(target, request));
    const outcome = await forwardCallEvents(stream, made, exchange, answerSchema);
    return "done" in outcome ? resultIn(outcome.done, isLegacy, ctx) : outcome.required;
  });
}

async function resultIn(answer: ToolCallsReply, isLegacy: boolean, ctx: ServerContext): Promise<ToolResult | null> {
  for (const log of answer.logs ?? []) await sendLog(ctx.mcpReq, log);
  if (answer.things_changed) {
    await ctx.mcpReq.notify({ method: "notifications/resources/list_changed" });
    await ctx.mcpReq.notify({ method: "notifications/prompts/list_changed" });
  }
  if (isLegacy && answer.tools_changed) await ctx.mcpReq.notify({ method: "notifications/tools/list_changed" });
  const [result] = answer.results;
  return result === undefined ? null : toolResultSchema.parse(result);
}

/** Cancels the call of a client's request. A finished or unknown call is not an error. */
export function cancelInConversation({ api, target }: ClientConversation, request: string | number): void {
  waitUntil(api.cancelCall(target, { clientRequest: request }));
}
