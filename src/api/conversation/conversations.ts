// /api/v1/conversations: create, list, read, change and delete. Turns and tool calls are in `steps.ts`.

import { createRoute } from "@hono/zod-openapi";
import { LIST_STATES } from "../../domain/conversation/list-facts";
import { conversationSettingsSchema } from "../../domain/conversation/settings";
import { CONVERSATION_LIMITS, REQUEST_LIMITS } from "../../domain/limits";
import { conversation, idempotencyOf, unwrapReply } from "../../edge/conversation";
import { notModified, tagged } from "../../edge/etag";
import { addLogIdHeader } from "../../edge/request-log";
import { router } from "../../edge/router";
import {
  conversationId,
  instant,
  integerParameter,
  json,
  jsonBody,
  noContent,
  optionalJsonBody,
  pageAfter,
  pageQuery,
  refusals,
} from "../../edge/schemas";
import * as z from "../../edge/zod";
import { seriesReplySchema } from "../../services/conversation/billing/series";
import { listConversations } from "../../services/conversation/list";
import { eventsReplySchema, pastSchema, statusSchema, taskSkillsSchema } from "../../services/conversation/replies";

const params = z.object({ id: conversationId });
const status = () => statusSchema().openapi("Conversation");
const settings = () => conversationSettingsSchema.unwrap().clone().openapi("ConversationSettings");
const created = () =>
  conversationSettingsSchema.unwrap().safeExtend({ id: conversationId.optional() }).openapi("NewConversation");
const listItem = () =>
  z.object({
    id: z.string(),
    title: z.string().nullable(),
    ghost: z.string().nullable(),
    created_at: z.string(),
    turns: z.number().nullable().openapi({ description: "Accurate to 10 minutes, like the following fields." }),
    last_turn_at: z.string().nullable(),
    tokens: z.number().nullable().openapi({ description: "The billed tokens so far." }),
    pasted_tokens: z.number().nullable().openapi({
      description: "The tokens that would be billed with all skills pasted into the prompt. `null`: not reported yet.",
    }),
    failed_calls: z.number().nullable().openapi({ description: "Failed tool calls so far." }),
  });

const moment = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));
const CREATED = (when: string) =>
  ({ type: "string", format: "date-time", description: `Only those created ${when} this time (RFC 3339).` }) as const;

export const conversationRoutes = router();

conversationRoutes.openapi(
  createRoute({
    method: "post",
    path: "/conversations",
    summary: "Creates a conversation, or changes named settings of an existing one.",
    request: { body: optionalJsonBody(created) },
    responses: {
      201: json("Created.", status),
      200: json("The conversation existed. Its settings were updated.", status),
      ...refusals(400, 404, 409),
    },
  }),
  async (c) => {
    const { id: given, ...rest } = c.req.valid("json") ?? {};
    const once = await idempotencyOf(c);
    const made = given ?? (once === null ? c.get("context").newId("cnv") : `cnv_${once.key_digest}`);
    const { api, target } = conversation(c, made, rest);
    const value = unwrapReply(c, await api.put(target, rest, false, once));
    return value.created ? c.json(value.status, 201) : c.json(value.status, 200);
  },
);

conversationRoutes.openapi(
  createRoute({
    method: "get",
    path: "/conversations",
    summary: "Lists your conversations, newest first.",
    request: {
      query: pageQuery.extend({
        q: z.string().min(1).max(200).optional(),
        ghost: z.string().min(1).max(200).optional().openapi({ description: "Only those of this agent (ghost)." }),
        skill: z
          .string()
          .min(1)
          .max(200)
          .optional()
          .openapi({ description: "Only those in which the skill of this name was active." }),
        state: z.enum(LIST_STATES).optional().openapi({
          description:
            "`failed`: a tool call failed. `succeeded`: there were turns, and no call failed. `unused`: no turn yet. Accurate to 10 minutes.",
        }),
        since: moment.optional().openapi(CREATED("at or after")),
        until: moment.optional().openapi(CREATED("before")),
      }),
    },
    responses: {
      200: json("A page of the list.", () =>
        z.object({ items: z.array(listItem()), next_cursor: z.string().nullable() }),
      ),
      ...refusals(400),
    },
  }),
  async (c) => {
    const { rows, nextCursor } = await listConversations(c.get("context"), c.req.valid("query"));
    const items = rows.map(({ id, title, ghost, createdAt, turns, lastTurnAt, tokens, pastedTokens, failures }) => ({
      ...{ id, title, ghost, created_at: instant(createdAt), turns, tokens, pasted_tokens: pastedTokens },
      failed_calls: failures,
      last_turn_at: lastTurnAt === null ? null : instant(lastTurnAt),
    }));
    return c.json({ items, next_cursor: nextCursor }, 200);
  },
);

conversationRoutes.openapi(
  createRoute({
    method: "put",
    path: "/conversations/{id}",
    summary: "Creates a conversation or replaces its settings.",
    request: { params, body: jsonBody(settings) },
    responses: { 201: json("Created.", status), 200: json("Replaced.", status), ...refusals(400, 404, 409) },
  }),
  async (c) => {
    const { api, target } = conversation(c, c.req.valid("param").id, c.req.valid("json"));
    const value = unwrapReply(c, await api.put(target, c.req.valid("json"), true, await idempotencyOf(c)));
    return value.created ? c.json(value.status, 201) : c.json(value.status, 200);
  },
);

conversationRoutes.openapi(
  createRoute({
    method: "get",
    path: "/conversations/{id}",
    summary: "Returns the state of a conversation.",
    middleware: tagged,
    request: { params },
    responses: { 200: json("The current state.", status), 304: notModified, ...refusals(404) },
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { api, target } = conversation(c, id);
    const found = unwrapReply(c, await api.status(target));
    await addLogIdHeader(c, { conversation: id, userId: target.caller.principal.userId });
    return c.json(found, 200);
  },
);

conversationRoutes.openapi(
  createRoute({
    method: "delete",
    path: "/conversations/{id}",
    summary: "Deletes a conversation and its data.",
    request: { params },
    responses: { 204: noContent, ...refusals(404) },
  }),
  async (c) => {
    const { api, target } = conversation(c, c.req.valid("param").id);
    unwrapReply(c, await api.remove(target));
    return c.body(null, 204);
  },
);

conversationRoutes.openapi(
  createRoute({
    method: "get",
    path: "/conversations/{id}/events",
    summary: "Lists the events of a conversation, oldest first.",
    request: {
      params,
      query: pageAfter(CONVERSATION_LIMITS.eventsPage),
    },
    responses: {
      200: json("A page of events; pass `next_cursor` as `after`.", eventsReplySchema),
      ...refusals(400, 404),
    },
  }),
  async (c) => {
    const { after, limit } = c.req.valid("query");
    const { api, target } = conversation(c, c.req.valid("param").id);
    return c.json(unwrapReply(c, await api.events(target, after ?? 0, limit ?? 100)), 200);
  },
);

conversationRoutes.openapi(
  createRoute({
    method: "get",
    path: "/conversations/{id}/at/{turn}",
    summary: "Returns the active skills of an earlier turn.",
    middleware: tagged,
    request: { params: params.extend({ turn: integerParameter(0, Number.MAX_SAFE_INTEGER) }) },
    responses: { 200: json("The state in that turn.", pastSchema), 304: notModified, ...refusals(400, 404) },
  }),
  async (c) => {
    const { id: name, turn } = c.req.valid("param");
    const { api, target } = conversation(c, name);
    return c.json(unwrapReply(c, await api.at(target, turn)), 200);
  },
);

conversationRoutes.openapi(
  createRoute({
    method: "get",
    path: "/conversations/{id}/series",
    summary: "Lists the figures of each turn, oldest first.",
    request: {
      params,
      query: pageAfter(REQUEST_LIMITS.listLimit),
    },
    responses: {
      200: json("A page of turns; pass `next_cursor` as `after`.", seriesReplySchema),
      ...refusals(400, 404),
    },
  }),
  async (c) => {
    const { after, limit } = c.req.valid("query");
    const { api, target } = conversation(c, c.req.valid("param").id);
    return c.json(unwrapReply(c, await api.series(target, after ?? 0, limit ?? REQUEST_LIMITS.listLimit)), 200);
  },
);

export const taskRoutes = router();

taskRoutes.openapi(
  createRoute({
    method: "get",
    path: "/tasks/{id}/skills",
    summary: "Returns the skills of a task (conversation).",
    middleware: tagged,
    request: { params },
    responses: { 200: json("The skills.", taskSkillsSchema), 304: notModified, ...refusals(404) },
  }),
  async (c) => {
    const { api, target } = conversation(c, c.req.valid("param").id);
    return c.json(unwrapReply(c, await api.taskSkills(target)), 200);
  },
);
