// /api/v1/conversations/{id}/turns, prompt, tools, tool-calls, restore: the requests of a chat back end in every turn.

import { createRoute } from "@hono/zod-openapi";
import { pickedSkillSchema } from "../../domain/catalog/pin";
import { conversationSettingsSchema } from "../../domain/conversation/settings";
import { readUsage, type Usage } from "../../domain/conversation/usage";
import { type JsonObject, jsonObject, jsonValue } from "../../domain/json";
import { REQUEST_LIMITS, SEARCH_LIMITS } from "../../domain/limits";
import { FORMATS } from "../../domain/tools/formats";
import { conversation, idempotencyOf, unwrapReply } from "../../edge/conversation";
import { namesTag } from "../../edge/etag";
import { router } from "../../edge/router";
import { conversationId, described, json, jsonBody, noContent, optionalJsonBody, refusals } from "../../edge/schemas";
import * as z from "../../edge/zod";
import { promptSchema, statusSchema, toolCallsReplySchema, turnReplySchema } from "../../services/conversation/replies";

const params = z.object({ id: conversationId });
const format = z.enum(FORMATS).optional();
const history = z.array(jsonValue).max(REQUEST_LIMITS.historyMessages);

const usage = jsonObject
  .superRefine((value, context) => {
    const read = readUsage(value);
    if ("problem" in read) context.addIssue({ code: "custom", message: read.problem });
  })
  .describe(
    "Token usage of a model request: the `usage` object of OpenAI or Anthropic, or `{ fresh, cache_read, cache_write, output }`.",
  )
  .optional();

/** Parses usage that was validated before. */
function usageOf(value: JsonObject | undefined): Usage | null {
  const read = value === undefined ? null : readUsage(value);
  return read === null || "problem" in read ? null : read.usage;
}

const turnRequest = () =>
  z
    .strictObject({
      key: z.string().min(1).max(REQUEST_LIMITS.idempotencyKeyChars).optional(),
      format,
      conversation: conversationSettingsSchema.optional(),
      message: z
        .string()
        .max(REQUEST_LIMITS.messageChars)
        .optional()
        .describe(
          "The text of the user's message, from which the gateway predicts a skill (`predict`). Only its beginning is read, and it is not stored.",
        ),
      history: history.optional(),
      history_cut: z.boolean().optional(),
      selected_skills: z.array(pickedSkillSchema).max(64).optional(),
      have: z
        .array(z.string().max(REQUEST_LIMITS.idempotencyKeyChars))
        .max(REQUEST_LIMITS.historyMessages)
        .optional()
        .describe("Delivery `auto`: ids of calls and appended messages that are unchanged in the history."),
      model: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe("Delivery `auto`: the model that will be called. It determines how long a prompt stays cached."),
      cache: z
        .enum(["cold"])
        .optional()
        .describe("Delivery `auto`: the provider's cache no longer contains this conversation."),
      usage,
      history_tokens: z
        .int()
        .min(0)
        .max(100_000_000)
        .optional()
        .describe("Tokens of the messages sent in addition to the prompt."),
    })
    .openapi("Turn");

const callsRequest = () =>
  z
    .strictObject({
      calls: z.array(jsonObject).max(REQUEST_LIMITS.callsPerBatch),
      format,
      etag: z.string().max(200).optional(),
      usage,
      sign_in: z.enum(["wait", "fail"]).optional(),
    })
    .openapi("ToolCalls");

const restoreRequest = () => z.strictObject({ history }).openapi("Restore");

export const stepRoutes = router();

stepRoutes.openapi(
  createRoute({
    method: "post",
    path: "/conversations/{id}/turns",
    summary: "Starts a turn and returns prompt and tools.",
    request: { params, body: optionalJsonBody(turnRequest) },
    responses: { 200: json("The turn.", turnReplySchema), ...refusals(400, 404, 409, 413) },
  }),
  async (c) => {
    const body = c.req.valid("json") ?? {};
    const { api, target } = conversation(c, c.req.valid("param").id, body.conversation);
    const once = await idempotencyOf(c);
    const request = {
      key: body.key ?? once?.key ?? null,
      format: body.format ?? null,
      history: body.history ?? null,
      history_cut: body.history_cut ?? false,
      selected_skills: body.selected_skills ?? [],
      message: body.message?.slice(0, SEARCH_LIMITS.queryChars) ?? null,
      have: body.have ?? null,
      model: body.model ?? null,
      cache: body.cache ?? null,
      usage: usageOf(body.usage),
      history_tokens: body.history_tokens ?? null,
    };
    return c.json(unwrapReply(c, await api.turn(target, body.conversation ?? null, request, once)), 200);
  },
);

stepRoutes.openapi(
  createRoute({
    method: "post",
    path: "/conversations/{id}/tool-calls",
    summary: "Runs the tool calls of one model response.",
    request: { params, body: jsonBody(callsRequest) },
    responses: {
      200: {
        description: "All results in the order of the calls.",
        content: {
          "application/json": described(() => toolCallsReplySchema().openapi("ToolCallsAnswer")),
          "text/event-stream": { schema: z.string() },
        },
      },
      ...refusals(400, 404, 409, 413),
    },
  }),
  async (c) => {
    const body = c.req.valid("json");
    const { api, target } = conversation(c, c.req.valid("param").id);
    const { calls, format = null, etag = null } = body;
    const waitsForSignIn = body.sign_in === "wait";
    const request = { calls, format, etag, usage: usageOf(body.usage), client: null, waitsForSignIn };
    if ((c.req.header("accept") ?? "").includes("text/event-stream")) {
      const stream = unwrapReply(c, await api.streamCalls(target, request));
      return c.body(stream, 200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    }
    return c.json(unwrapReply(c, await api.toolCalls(target, request, await idempotencyOf(c))), 200);
  },
);

stepRoutes.openapi(
  createRoute({
    method: "delete",
    path: "/conversations/{id}/tool-calls/{call_id}",
    summary: "Cancels a running tool call.",
    request: { params: params.extend({ call_id: z.string() }) },
    responses: { 204: noContent, ...refusals(404) },
  }),
  async (c) => {
    const { id, call_id } = c.req.valid("param");
    const { api, target } = conversation(c, id);
    unwrapReply(c, await api.cancelCall(target, call_id));
    return c.body(null, 204);
  },
);

stepRoutes.openapi(
  createRoute({
    method: "get",
    path: "/conversations/{id}/prompt",
    summary: "Returns the current prompt.",
    request: { params, query: z.object({ format }) },
    responses: {
      200: json("The prompt.", promptSchema),
      304: { description: "Not changed since the `ETag` of the request." },
      ...refusals(400, 404),
    },
  }),
  async (c) => {
    const { api, target } = conversation(c, c.req.valid("param").id);
    const { prompt, etag } = unwrapReply(c, await api.prompt(target, c.req.valid("query").format ?? null));
    if (namesTag(c.req.header("if-none-match"), `"${etag}"`)) return c.body(null, 304, { etag: `"${etag}"` });
    return c.json(prompt, 200, { etag: `"${etag}"` });
  },
);

stepRoutes.openapi(
  createRoute({
    method: "get",
    path: "/conversations/{id}/tools",
    summary: "Returns the current tools.",
    request: { params, query: z.object({ format }) },
    responses: {
      200: json("The tools.", () => z.object({ tools: z.array(jsonObject) })),
      304: { description: "Not changed since the `ETag` of the request." },
      ...refusals(400, 404),
    },
  }),
  async (c) => {
    const { api, target } = conversation(c, c.req.valid("param").id);
    const { tools, etag } = unwrapReply(c, await api.prompt(target, c.req.valid("query").format ?? null));
    if (namesTag(c.req.header("if-none-match"), `"${etag}"`)) return c.body(null, 304, { etag: `"${etag}"` });
    return c.json({ tools }, 200, { etag: `"${etag}"` });
  },
);

stepRoutes.openapi(
  createRoute({
    method: "post",
    path: "/conversations/{id}/restore",
    summary: "Restores active skills from a message history.",
    request: { params, body: jsonBody(restoreRequest) },
    responses: { 200: json("The conversation.", statusSchema), ...refusals(400, 404, 413) },
  }),
  async (c) => {
    const { api, target } = conversation(c, c.req.valid("param").id);
    return c.json(unwrapReply(c, await api.restore(target, c.req.valid("json").history)), 200);
  },
);
