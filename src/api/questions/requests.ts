// /api/v1/conversations/{id}/requests: asks the browser, waits for answers, answers without a socket, and creates tickets for sockets.

import { createRoute } from "@hono/zod-openapi";
import { conversationSettingsSchema } from "../../domain/conversation/settings";
import { DURATIONS } from "../../domain/durations";
import { jsonObject, jsonValue, utf8Bytes } from "../../domain/json";
import { REQUEST_LIMITS } from "../../domain/limits";
import { QUESTION_LIMITS } from "../../domain/questions/limits";
import { answerSchema, QUESTION_STATES } from "../../domain/questions/question";
import { conversation, idempotencyOf, unwrapReply } from "../../edge/conversation";
import { notModified, tagged } from "../../edge/etag";
import { router } from "../../edge/router";
import {
  conversationId,
  instant,
  integerParameter,
  json,
  jsonBody,
  nameableUser,
  noContent,
  optionalJsonBody,
  pageQuery,
  refusals,
  refuseIdempotencyKey,
} from "../../edge/schemas";
import * as z from "../../edge/zod";
import { questionDetailSchema, questionListSchema, questionReplySchema } from "../../services/questions/views";

const params = z.object({ id: conversationId });
const oneParams = params.extend({ request_id: z.string().min(1).max(200) });
const name = z.string().min(1).max(QUESTION_LIMITS.nameChars);

const newRequest = () =>
  z
    .strictObject({
      action: name,
      payload: jsonValue.optional(),
      skill_name: name.nullish(),
      timeout_ms: z.int().min(1).max(DURATIONS.requestMost).default(DURATIONS.request),
      require_client: z.boolean().default(false),
      answer_schema: jsonObject
        .refine((schema) => utf8Bytes(JSON.stringify(schema)) <= QUESTION_LIMITS.schemaBytes, {
          message: `JSON Schema too large (limit ${QUESTION_LIMITS.schemaBytes / 1024} KiB)`,
        })
        .optional()
        .describe("A JSON Schema for `result`. Answers that do not match are rejected, and the request stays pending."),
      wait_ms: z.int().min(0).max(DURATIONS.waitMost).default(DURATIONS.wait),
    })
    .openapi("NewRequest");

const response = () => z.strictObject(answerSchema.shape).openapi("RequestResponse");

const origin = z
  .string()
  .max(300)
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text, {
    message: "is not an origin such as https://chat.example",
  });

const newTicket = () =>
  z
    .strictObject({
      origin: origin.optional(),
      user_id: nameableUser.optional(),
      conversation: conversationSettingsSchema
        .optional()
        .describe("Settings for a conversation that does not exist yet. An existing conversation is not changed."),
      output: z
        .boolean()
        .optional()
        .describe("If true, the page receives arguments and results of tool calls, not only their names."),
    })
    .openapi("NewTicket");
const ticket = () => z.object({ ticket: z.string(), expires_at: z.string(), url: z.string() }).openapi("Ticket");

const requestAnswer = () => questionReplySchema().openapi("RequestAnswer");
const requestDetail = () => questionDetailSchema().openapi("Request");

export const questionRoutes = router();

questionRoutes.openapi(
  createRoute({
    method: "post",
    path: "/conversations/{id}/requests",
    summary: "Asks the connected pages a question.",
    request: { params, body: jsonBody(newRequest) },
    responses: {
      200: json("The request has ended.", requestAnswer),
      202: json("The request is pending. Use its id to read the answer later.", requestAnswer),
      ...refusals(400, 404, 409, 413, 429),
    },
  }),
  async (c) => {
    const { wait_ms, require_client, ...body } = c.req.valid("json");
    const { api, target } = conversation(c, c.req.valid("param").id);
    const question = { ...body, skill_name: body.skill_name ?? null, payload: body.payload ?? null };
    const value = unwrapReply(
      c,
      await api.question(target, { question, require_client, wait_ms }, await idempotencyOf(c)),
    );
    return value.state === "pending" ? c.json(value, 202) : c.json(value, 200);
  },
);

questionRoutes.openapi(
  createRoute({
    method: "get",
    path: "/conversations/{id}/requests",
    summary: "Lists questions to pages, newest first.",
    request: { params, query: pageQuery.extend({ state: z.enum(QUESTION_STATES).optional() }) },
    responses: { 200: json("A page of the list.", questionListSchema), ...refusals(400, 404) },
  }),
  async (c) => {
    const { state, limit, cursor } = c.req.valid("query");
    const { api, target } = conversation(c, c.req.valid("param").id);
    const page = await api.questions(target, state ?? null, limit ?? REQUEST_LIMITS.listLimit, cursor);
    return c.json(unwrapReply(c, page), 200);
  },
);

questionRoutes.openapi(
  createRoute({
    method: "get",
    path: "/conversations/{id}/requests/{request_id}",
    summary: "Returns a question. With `wait_ms`, waits for its end.",
    middleware: tagged,
    request: {
      params: oneParams,
      query: z.object({ wait_ms: integerParameter(0, DURATIONS.waitMost).optional() }),
    },
    responses: {
      200: json("The request has ended.", requestDetail),
      202: json("The request is pending.", requestDetail),
      304: notModified,
      ...refusals(400, 404),
    },
  }),
  async (c) => {
    const { id, request_id } = c.req.valid("param");
    const { api, target } = conversation(c, id);
    const value = unwrapReply(c, await api.awaitQuestion(target, request_id, c.req.valid("query").wait_ms ?? 0));
    return value.state === "pending" ? c.json(value, 202) : c.json(value, 200);
  },
);

questionRoutes.openapi(
  createRoute({
    method: "delete",
    path: "/conversations/{id}/requests/{request_id}",
    summary: "Cancels a pending question.",
    request: { params: oneParams },
    responses: { 204: noContent, ...refusals(404, 409) },
  }),
  async (c) => {
    const { id, request_id } = c.req.valid("param");
    const { api, target } = conversation(c, id);
    unwrapReply(c, await api.cancelQuestion(target, request_id));
    return c.body(null, 204);
  },
);

questionRoutes.openapi(
  createRoute({
    method: "post",
    path: "/conversations/{id}/requests/{request_id}/response",
    summary: "Answers a question without a socket.",
    request: { params: oneParams, body: jsonBody(response) },
    responses: {
      200: json("The answer was accepted.", () => z.object({ success: z.literal(true) })),
      ...refusals(400, 404, 409, 413),
    },
  }),
  async (c) => {
    const { id, request_id } = c.req.valid("param");
    const { api, target } = conversation(c, id);
    return c.json(
      unwrapReply(c, await api.respond(target, request_id, c.req.valid("json"), await idempotencyOf(c))),
      200,
    );
  },
);

questionRoutes.openapi(
  createRoute({
    method: "post",
    path: "/conversations/{id}/tickets",
    summary: "Creates a one-time ticket for the conversation's socket.",
    middleware: refuseIdempotencyKey,
    request: { params, body: optionalJsonBody(newTicket) },
    responses: { 201: json("The ticket. It is returned only once.", ticket), ...refusals(400, 404) },
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const body = c.req.valid("json") ?? {};
    const { api, target } = conversation(c, id, body.conversation);
    const request = { origin: body.origin ?? null, user_id: body.user_id ?? null, output: body.output ?? false };
    const made = unwrapReply(c, await api.ticket(target, request, body.conversation ?? {}));
    const url = new URL(`/api/v1/conversations/${encodeURIComponent(id)}/socket`, c.req.url);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    return c.json({ ticket: made.ticket, expires_at: instant(made.expires), url: url.href }, 201);
  },
);
