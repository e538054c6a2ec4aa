// Forwards events of a running operation to its host, and the host's answers: in the stream of its request (up to 2025-11-25), or by
// repeating the request with answers (2026-07-28).

import { waitUntil } from "cloudflare:workers";
import {
  type InputRequests,
  type InputRequiredResult,
  ProtocolError,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import { ERROR_CODES, GatewayError } from "../domain/errors";
import { type JsonObject, jsonObject } from "../domain/json";
import { EventSplitter } from "../domain/servers/event-stream";
import { type ServerLog, serverLogSchema } from "../domain/servers/log";
import { serverQuestionSchema } from "../domain/servers/round";
import type { Context } from "../services/context";
import { clientCallId } from "../services/conversation/running";
import type { HostAnswers } from "../services/host-questions";
import type { ClientConversation, ClientEra } from "./client-scope";

const progressSchema = z.object({
  progress: z.number(),
  total: z.number().optional(),
  message: z.string().optional(),
});

const askedSchema = z.object({ round: z.int(), questions: z.array(serverQuestionSchema.extend({ id: z.string() })) });
type HostAsked = z.infer<typeof askedSchema>;
/** The SDK validates the methods that a server can use. */
const requestSchema = z.custom<InputRequests[string]>(
  (value) => z.object({ method: z.string() }).safeParse(value).success,
);
const answersSchema = z.record(z.string(), jsonObject);

const refusalSchema = z.object({ code: z.enum(ERROR_CODES), reason: z.string(), message: z.string() });

/** The result for a modern host whose call waits for answers. */
export type Required = Pick<InputRequiredResult, "resultType" | "inputRequests" | "requestState">;

/** A host's request, and how a legacy host is asked in its stream. */
export interface HostExchange {
  ctx: ServerContext;
  era: ClientEra;
  ask(question: { id: string; method: string; params: JsonObject }): void;
}

export function hostExchangeOn({ transport }: Server, ctx: ServerContext, era: ClientEra): HostExchange {
  const relatedRequestId = ctx.mcpReq.id;
  const ask: HostExchange["ask"] = (question) =>
    void transport?.send({ jsonrpc: "2.0", ...question }, { relatedRequestId });
  return { ctx, era, ask };
}

/** A call as the conversation identifies it. `answers` is absent in the first request. */
export interface ClientCall {
  id: string;
  answers?: HostAnswers;
}

/** A call id of the gateway and the round that asked, returned with the answers. */
const OURS = /^((?:host:.{1,200}:)?call_[0-9A-Z]{26})\.(\d{1,3})$/;

/**
 * Returns the call that a host makes or continues.
 *
 * @throws ProtocolError for a state that the gateway did not issue
 */
export function clientCallOf(context: Context, { mcpReq }: ServerContext): ClientCall {
  const state = mcpReq.requestState();
  // Clients number requests per connection, so their ids do not identify a repeated call.
  if (state === undefined) return { id: clientCallId(mcpReq.id, context.newId("call")) };
  const [, id, round] = (typeof state === "string" ? OURS.exec(state) : null) ?? [];
  if (id === undefined) throw new ProtocolError(-32602, "Invalid or expired requestState");
  // The SDK removed invalid answers; those questions are asked again.
  const given = answersSchema.parse(mcpReq.inputResponses ?? {});
  return { id, answers: { round: Number(round), given } };
}

/** Runs work that is cancelled when its request ends. */
export async function cancelWithRequest<T>(
  { api, target }: ClientConversation,
  { mcpReq: { signal } }: ServerContext,
  { id }: ClientCall,
  work: () => Promise<T>,
): Promise<T> {
  // The request that carried the call may have ended. Without `waitUntil`, the cancellation would end with it.
  const cancel = () => waitUntil(api.cancelCall(target, id));
  signal.addEventListener("abort", cancel, { once: true });
  try {
    return await work();
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

/**
 * Forwards events of a call until its result, which `schema` parses, or until its host must return with answers.
 *
 * @throws GatewayError as the conversation refuses it
 */
export async function forwardCallEvents<T>(
  stream: ReadableStream<Uint8Array>,
  { id }: ClientCall,
  { ctx: { mcpReq }, era, ask }: HostExchange,
  schema: z.ZodType<T>,
): Promise<{ done: T } | { required: Required }> {
  const token = mcpReq._meta?.progressToken;
  const reported = new Set<string>();
  let waiting: HostAsked | null = null;
  const splitter = new EventSplitter();
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    for (const { type, data } of splitter.push(text)) {
      if (data === null) continue;
      if (type === "progress" && token !== undefined) {
        const params = { ...progressSchema.parse(JSON.parse(data)), progressToken: token };
        await mcpReq.notify({ method: "notifications/progress", params });
      }
      if (type === "log") await sendLog(mcpReq, serverLogSchema.parse(JSON.parse(data)));
      if (type === "asked") {
        waiting = askedSchema.parse(JSON.parse(data));
        // Contains all unanswered questions, including those sent before.
        for (const { id: question, method, params } of era === "legacy" ? waiting.questions : [])
          if (!reported.has(question)) ask({ id: question, method, params });
        for (const question of waiting.questions) reported.add(question.id);
      }
      if (type === "done") return { done: schema.parse(JSON.parse(data)) };
      if (type === "error") {
        const { code, reason, message } = refusalSchema.parse(JSON.parse(data));
        throw new GatewayError(code, reason, message);
      }
    }
  }
  // For modern hosts, the stream ends with the questions.
  if (waiting !== null) return { required: requiredOf(id, waiting) };
  throw new GatewayError("unavailable", "UNAVAILABLE", "The conversation was interrupted. Try again.");
}

export function sendLog({ notify }: ServerContext["mcpReq"], params: ServerLog): Promise<void> {
  return notify({ method: "notifications/message", params: { ...params } });
}

function requiredOf(id: string, { round, questions }: HostAsked): Required {
  const inputRequests: InputRequests = Object.fromEntries(
    questions.map(({ key, method, params }) => [key, requestSchema.parse({ method, params })]),
  );
  return { resultType: "input_required", inputRequests, requestState: `${id}.${round}` };
}
