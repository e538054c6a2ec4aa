// A client's tool call, made in its conversation. It is cancelled with the client's request, and reports progress if asked to.

import { waitUntil } from "cloudflare:workers";
import type { ServerContext } from "@modelcontextprotocol/server";
import * as z from "zod";
import { ERROR_CODES, GatewayError } from "../domain/errors";
import type { JsonObject } from "../domain/json";
import { EventSplitter } from "../domain/servers/event-stream";
import { type ToolResult, toolResultSchema } from "../domain/tool";
import type { Context } from "../services/context";
import { type ToolCallsRequest, unwrap } from "../services/conversation/api";
import { type ToolCallsReply, toolCallsReplySchema } from "../services/conversation/replies";
import { clientCallId } from "../services/conversation/running";
import type { ClientConversation } from "./client-place";

const answerSchema = toolCallsReplySchema();
const progressSchema = z.object({
  progress: z.number(),
  total: z.number().optional(),
  message: z.string().optional(),
});

const refusalSchema = z.object({ code: z.enum(ERROR_CODES), reason: z.string(), message: z.string() });

/**
 * Runs one call; `null` when the conversation has no such tool.
 *
 * @param tellsChanges whether the call's own stream may say that it changed the list of tools
 */
export async function callInConversation(
  context: Context,
  { api, target, client }: ClientConversation,
  name: string,
  args: JsonObject,
  ctx: ServerContext,
  tellsChanges: boolean,
): Promise<ToolResult | null> {
  // A client counts its requests anew with every connection, so its own id does not say which call is the same.
  const id = clientCallId(ctx.mcpReq.id, context.newId("call"));
  const request: ToolCallsRequest = {
    calls: [{ id, name, arguments: args }],
    format: "mcp",
    etag: null,
    usage: null,
    client,
    hearsChanges: tellsChanges,
  };
  const { signal, _meta: meta } = ctx.mcpReq;
  // The request that carried the call may have ended. Without `waitUntil` this one would end with it.
  const cancel = () => waitUntil(api.cancelCall(target, id));
  signal.addEventListener("abort", cancel, { once: true });
  try {
    const token = meta?.progressToken;
    const answer =
      token === undefined
        ? unwrap(await api.toolCalls(target, request, null))
        : await followed(unwrap(await api.streamToolCalls(target, request)), (progress) =>
            ctx.mcpReq.notify({ method: "notifications/progress", params: { ...progress, progressToken: token } }),
          );
    if (tellsChanges && answer.tools_changed) await ctx.mcpReq.notify({ method: "notifications/tools/list_changed" });
    const [result] = answer.results;
    return result === undefined ? null : toolResultSchema.parse(result);
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

/** Calls off the call that the client made with this request. One that ended in the meantime, or never was, is no error. */
export function cancelInConversation({ api, target }: ClientConversation, request: string | number): void {
  waitUntil(api.cancelCall(target, { clientRequest: request }));
}

/** Reads a stream of a step to its end. */
async function followed(
  stream: ReadableStream<Uint8Array>,
  onProgress: (progress: z.infer<typeof progressSchema>) => Promise<void>,
): Promise<ToolCallsReply> {
  const splitter = new EventSplitter();
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    for (const { type, data } of splitter.push(text)) {
      if (data === null) continue;
      if (type === "progress") await onProgress(progressSchema.parse(JSON.parse(data)));
      if (type === "done") return answerSchema.parse(JSON.parse(data));
      if (type === "error") {
        const { code, reason, message } = refusalSchema.parse(JSON.parse(data));
        throw new GatewayError(code, reason, message);
      }
    }
  }
  throw new GatewayError("unavailable", "UNAVAILABLE", "The conversation was interrupted. Try again.");
}
