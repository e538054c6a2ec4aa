// A client's tool call, made in its conversation. It is cancelled with the client's request, and reports progress if asked to.

import { waitUntil } from "cloudflare:workers";
import {
  type InputRequests,
  type InputRequiredResult,
  LOG_LEVEL_META_KEY,
  ProtocolError,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import { ERROR_CODES, GatewayError } from "../domain/errors";
import { type JsonObject, jsonObject } from "../domain/json";
import { EventSplitter } from "../domain/servers/event-stream";
import { logLevelSchema, type ServerLog, serverLogSchema } from "../domain/servers/log";
import { serverQuestionSchema } from "../domain/servers/round";
import { type ToolResult, toolResultSchema } from "../domain/tool";
import type { Context } from "../services/context";
import { type ToolCallsRequest, unwrap } from "../services/conversation/api";
import { type ToolCallsReply, toolCallsReplySchema } from "../services/conversation/replies";
import { clientCallId } from "../services/conversation/running";
import type { HostAnswers } from "../services/host-questions";
import type { ClientConversation, ClientEra } from "./client-place";

const answerSchema = toolCallsReplySchema().extend({ things_changed: z.boolean().optional() });
const progressSchema = z.object({
  progress: z.number(),
  total: z.number().optional(),
  message: z.string().optional(),
});

const envelopeSchema = z.object({ [LOG_LEVEL_META_KEY]: logLevelSchema.optional().catch(undefined) });

const askedSchema = z.object({ round: z.int(), questions: z.array(serverQuestionSchema.extend({ id: z.string() })) });
type HostAsked = z.infer<typeof askedSchema>;
/** Which methods a server may ask by is the protocol's; the SDK holds what goes out against it. */
const requestSchema = z.custom<InputRequests[string]>(
  (value) => z.object({ method: z.string() }).safeParse(value).success,
);
const answersSchema = z.record(z.string(), jsonObject);

const refusalSchema = z.object({ code: z.enum(ERROR_CODES), reason: z.string(), message: z.string() });

/** What a host of the modern era hears of a call that waits for it. */
type Required = Pick<InputRequiredResult, "resultType" | "inputRequests" | "requestState">;

/** What a host sends in a call's stream to one of the legacy era. */
type Send = (question: { id: string; method: string; params: JsonObject }) => void;

/** A call's id as we have made one, and the round that asked: they come back with the answers. */
const OURS = /^((?:host:.{1,200}:)?call_[0-9A-Z]{26})\.(\d{1,3})$/;

/**
 * Runs one call, or goes on with one that asked its host; `null` when the conversation has no such tool.
 *
 * @param era a host of the legacy one may be told in the call's own stream that the list of tools changed, and asked there
 */
export async function callInConversation(
  context: Context,
  { api, target, client }: ClientConversation,
  name: string,
  args: JsonObject,
  ctx: ServerContext,
  era: ClientEra,
  ask: Send,
): Promise<ToolResult | Required | null> {
  const tellsChanges = era === "legacy";
  const begun = begunIn(ctx);
  // A client counts its requests anew with every connection, so its own id does not say which call is the same.
  const id = begun?.id ?? clientCallId(ctx.mcpReq.id, context.newId("call"));
  const { signal, _meta: meta, envelope } = ctx.mcpReq;
  const wanted = envelopeSchema.safeParse(envelope).data?.[LOG_LEVEL_META_KEY];
  const request: ToolCallsRequest = {
    calls: [{ id, name, arguments: args }],
    format: "mcp",
    etag: null,
    usage: null,
    client,
    hearsChanges: tellsChanges,
    logs: era === "legacy" ? "kept" : wanted,
    ...(begun === null ? {} : { answers: begun.answers }),
  };
  // The request that carried the call may have ended. Without `waitUntil` this one would end with it.
  const cancel = () => waitUntil(api.cancelCall(target, id));
  signal.addEventListener("abort", cancel, { once: true });
  try {
    const token = meta?.progressToken;
    if (token === undefined && client.host === undefined && wanted === undefined)
      return await resultIn(unwrap(await api.toolCalls(target, request, null)), tellsChanges, ctx);
    const asked = new Set<string>();
    const answer = await followed(unwrap(await api.streamToolCalls(target, request)), {
      progress: async (progress) => {
        if (token === undefined) return;
        await ctx.mcpReq.notify({ method: "notifications/progress", params: { ...progress, progressToken: token } });
      },
      log: (log) => tellLog(ctx, log),
      // Told of everything that waits: of what was sent already, too.
      asked: ({ questions }) => {
        for (const { id: question, method, params } of era === "legacy" ? questions : [])
          if (!asked.has(question)) ask({ id: question, method, params });
        for (const question of questions) asked.add(question.id);
      },
    });
    if ("results" in answer) return await resultIn(answer, tellsChanges, ctx);
    return { resultType: "input_required", inputRequests: requestsOf(answer), requestState: `${id}.${answer.round}` };
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

function tellLog(ctx: ServerContext, params: ServerLog): Promise<void> {
  return ctx.mcpReq.notify({ method: "notifications/message", params: { ...params } });
}

async function resultIn(answer: ToolCallsReply, tellsChanges: boolean, ctx: ServerContext): Promise<ToolResult | null> {
  for (const log of answer.logs ?? []) await tellLog(ctx, log);
  if (answer.things_changed) {
    await ctx.mcpReq.notify({ method: "notifications/resources/list_changed" });
    await ctx.mcpReq.notify({ method: "notifications/prompts/list_changed" });
  }
  if (tellsChanges && answer.tools_changed) await ctx.mcpReq.notify({ method: "notifications/tools/list_changed" });
  const [result] = answer.results;
  return result === undefined ? null : toolResultSchema.parse(result);
}

/**
 * The call that a host goes on with, and what it answers; `null` where it makes a new one.
 *
 * @throws ProtocolError for a state that we have not given
 */
function begunIn({ mcpReq }: ServerContext): { id: string; answers: HostAnswers } | null {
  const state = mcpReq.requestState();
  if (state === undefined) return null;
  const [, id, round] = (typeof state === "string" ? OURS.exec(state) : null) ?? [];
  if (id === undefined) throw new ProtocolError(-32602, "Invalid or expired requestState");
  // The SDK has left out what is none. It is asked again.
  const given = answersSchema.parse(mcpReq.inputResponses ?? {});
  return { id, answers: { round: Number(round), given } };
}

function requestsOf({ questions }: HostAsked): InputRequests {
  return Object.fromEntries(questions.map(({ key, method, params }) => [key, requestSchema.parse({ method, params })]));
}

/** Calls off the call that the client made with this request. One that ended in the meantime, or never was, is no error. */
export function cancelInConversation({ api, target }: ClientConversation, request: string | number): void {
  waitUntil(api.cancelCall(target, { clientRequest: request }));
}

/** Reads a stream of a step to its end, or to what its host is asked where nothing comes after it. */
async function followed(
  stream: ReadableStream<Uint8Array>,
  hear: {
    progress(progress: z.infer<typeof progressSchema>): Promise<void>;
    log(log: ServerLog): Promise<void>;
    asked(asked: HostAsked): void;
  },
): Promise<ToolCallsReply | HostAsked> {
  let waiting: HostAsked | null = null;
  const splitter = new EventSplitter();
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    for (const { type, data } of splitter.push(text)) {
      if (data === null) continue;
      if (type === "progress") await hear.progress(progressSchema.parse(JSON.parse(data)));
      if (type === "log") await hear.log(serverLogSchema.parse(JSON.parse(data)));
      if (type === "asked") {
        waiting = askedSchema.parse(JSON.parse(data));
        hear.asked(waiting);
      }
      if (type === "done") return answerSchema.parse(JSON.parse(data));
      if (type === "error") {
        const { code, reason, message } = refusalSchema.parse(JSON.parse(data));
        throw new GatewayError(code, reason, message);
      }
    }
  }
  if (waiting !== null) return waiting;
  throw new GatewayError("unavailable", "UNAVAILABLE", "The conversation was interrupted. Try again.");
}
