// /api/v1/conversations/{id}/requests: asking the browser, waiting, answering without a socket; and tickets for sockets.

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
          message: `at most ${QUESTION_LIMITS.schemaBytes / 1024} KiB of JSON Schema`,
        })
        .optional()
        .describe("A JSON Schema for `result`. An answer that does not fit is refused, and the request waits on."),
      wait_ms: z.int().min(0).max(DURATIONS.waitMost).default(DURATIONS.wait),
    })
    .openapi("NewRequest");

const response = () => z.strictObject(answerSchema.shape).openapi("RequestResponse");

const origin = z
  .string()
  .max(300)
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text, {
    message: "an origin such as https://chat.example",
  });

const newTicket = () =>
  z
    .strictObject({
      origin: origin.optional(),
      user_id: nameableUser.optional(),
      conversation: conversationSettingsSchema
        .optional()
        .describe("How a conversation is to be that is not there yet. Of one that is there nothing changes."),
      output: z
        .boolean()
        .optional()
        .describe("Whether the page may see what calls of tools were given and have answered, beside their names."),
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
    summary: "Ask the conversation's pages and wait for the answer",
    request: { params, body: jsonBody(newRequest) },
    responses: {
      200: json("It has ended.", requestAnswer),
      202: json("Still pending: come back with the id.", requestAnswer),
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
    summary: "Requests to the pages, newest first; those that ended are kept for a day",
    request: { params, query: pageQuery.extend({ state: z.enum(QUESTION_STATES).optional() }) },
    responses: { 200: json("A page.", questionListSchema), ...refusals(400, 404) },
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
    summary: "A request; with `wait_ms`, once it has ended or that time is over",
    middleware: tagged,
    request: {
      params: oneParams,
      query: z.object({ wait_ms: integerParameter(0, DURATIONS.waitMost).optional() }),
    },
    responses: {
      200: json("It has ended.", requestDetail),
      202: json("Still pending.", requestDetail),
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
    summary: "Cancel a pending request",
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
    summary: "Answer a request, for pages without a socket",
    request: { params: oneParams, body: jsonBody(response) },
    responses: {
      200: json("This answer is the one.", () => z.object({ success: z.literal(true) })),
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
    summary: "A ticket with which a page opens the conversation's socket: once, within a minute",
    middleware: refuseIdempotencyKey,
    request: { params, body: optionalJsonBody(newTicket) },
    responses: { 201: json("The ticket, shown this once.", ticket), ...refusals(400, 404) },
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
