// A host's tool call, made in its conversation: cancelled with the host's request, told of while it runs where the host asks.

import type { ServerContext } from "@modelcontextprotocol/server";
import * as z from "zod";
import { ERROR_CODES, GatewayError } from "../domain/errors";
import { EventSplitter } from "../domain/event-stream";
import type { JsonObject } from "../domain/skill";
import { type ToolResult, toolResultSchema } from "../domain/tool";
import { type ToolCallsAnswer, toolCallsAnswerSchema } from "../services/answers";
import type { Context } from "../services/context";
import { type ToolCallsAsk, unwrap } from "../services/conversation";
import type { HostPlace } from "./place";

const answerSchema = toolCallsAnswerSchema();
const progressSchema = z.object({
  progress: z.number(),
  total: z.number().optional(),
  message: z.string().optional(),
});

const refusalSchema = z.object({ code: z.enum(ERROR_CODES), reason: z.string(), message: z.string() });

/** Runs one call; `null` when the conversation has no such tool. */
export async function callInConversation(
  context: Context,
  { api, ask, host }: NonNullable<HostPlace["conversation"]>,
  name: string,
  args: JsonObject,
  ctx: ServerContext,
): Promise<ToolResult | null> {
  // A host counts its requests anew with every connection: its ids say nothing of which call is the same.
  const id = context.newId("call");
  const request: ToolCallsAsk = { calls: [{ id, name, arguments: args }], format: "mcp", etag: null, host };
  const { signal, _meta: meta } = ctx.mcpReq;
  const cancel = () => void api.cancelCall(ask, id);
  signal.addEventListener("abort", cancel, { once: true });
  try {
    const token = meta?.progressToken;
    const answer =
      token === undefined
        ? unwrap(await api.toolCalls(ask, request, null))
        : await followed(unwrap(await api.streamToolCalls(ask, request)), (progress) =>
            ctx.mcpReq.notify({ method: "notifications/progress", params: { ...progress, progressToken: token } }),
          );
    if (answer.tools_changed) await ctx.mcpReq.notify({ method: "notifications/tools/list_changed" });
    const [result] = answer.results;
    return result === undefined ? null : toolResultSchema.parse(result);
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

/** Reads a stream of a step to its end. */
async function followed(
  stream: ReadableStream<Uint8Array>,
  onProgress: (progress: z.infer<typeof progressSchema>) => Promise<void>,
): Promise<ToolCallsAnswer> {
  const splitter = new EventSplitter();
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    for (const { type, data } of splitter.push(text)) {
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
