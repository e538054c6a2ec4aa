// Routes for /api/v1/webhooks: webhooks of users, groups and the gateway, and their deliveries.

import { createRoute } from "@hono/zod-openapi";
import { decodeCursor, encodeCursor } from "../domain/cursor";
import { REQUEST_LIMITS } from "../domain/limits";
import { WEBHOOK_EVENTS, WEBHOOK_LIMITS } from "../domain/webhooks/webhooks";
import { notModified, tagged } from "../edge/etag";
import { router } from "../edge/router";
import { instant, json, jsonBody, noContent, pageQuery, refusals } from "../edge/schemas";
import * as z from "../edge/zod";
import {
  findWebhook,
  pageOfWebhooks,
  readDeliveries,
  removeWebhook,
  resendDelivery,
  rotateWebhookSecret,
  storeWebhook,
  testWebhook,
} from "../services/webhooks/manage";
import type { DeliveryRow, WebhookRow } from "../storage/d1/webhooks";
import { serverParams } from "./mcp-servers";
import {
  groupNamed,
  groupNamedMessage,
  ownerFields,
  ownerFromQuery,
  ownerInResponse,
  ownerQuery,
  wireOwner,
} from "./owner";

const deliveryParams = serverParams.extend({ id: z.string().max(64) });
const event = z.enum(WEBHOOK_EVENTS);

const webhookRequest = () =>
  z
    .object({
      ...ownerFields,
      url: z.url().max(WEBHOOK_LIMITS.url),
      events: z
        .array(event)
        .min(1)
        .default([...WEBHOOK_EVENTS]),
      enabled: z.boolean().default(true),
    })
    .strict()
    .refine(groupNamed, groupNamedMessage)
    .openapi("WebhookRequest");

const webhookSchema = () =>
  z
    .object({
      name: z.string(),
      ...ownerInResponse(),
      url: z.string(),
      events: z.array(event),
      enabled: z.boolean(),
      /** Why the gateway disabled it. */
      disabled_reason: z.string().optional(),
      /** The signing secret, only in the response that created it. */
      secret: z.string().optional(),
      created_at: z.string(),
      updated_at: z.string(),
    })
    .openapi("Webhook");

const deliverySchema = () =>
  z
    .object({
      id: z.string(),
      type: z.string(),
      data: z.record(z.string(), z.unknown()),
      timestamp: z.string(),
      state: z.enum(["pending", "delivered", "failed"]),
      attempts: z.int(),
      /** Of the next attempt; absent after the last one. */
      next_attempt_at: z.string().optional(),
      /** HTTP status of the last attempt. */
      status: z.int().nullable(),
      problem: z.string().nullable(),
    })
    .openapi("WebhookDelivery");

export const webhookRoutes = router();

webhookRoutes.openapi(
  createRoute({
    method: "get",
    path: "/",
    summary: "Lists webhooks by name.",
    request: { query: pageQuery.extend(ownerFields).refine(groupNamed, groupNamedMessage) },
    responses: {
      200: json("A page of the list.", () =>
        z.object({ items: z.array(webhookSchema()), next_cursor: z.string().nullable() }),
      ),
      ...refusals(400, 403, 404),
    },
  }),
  async (c) => {
    const { limit = REQUEST_LIMITS.listLimit, cursor, ...owner } = c.req.valid("query");
    const after = decodeCursor(cursor, z.string());
    const rows = await pageOfWebhooks(c.get("context"), ownerFromQuery(owner), limit + 1, after);
    const page = rows.slice(0, limit);
    const next = rows.length > limit ? encodeCursor(page.at(-1)?.name) : null;
    return c.json({ items: page.map((row) => wireWebhook(row)), next_cursor: next }, 200);
  },
);

webhookRoutes.openapi(
  createRoute({
    method: "get",
    path: "/{name}",
    summary: "Returns a webhook.",
    middleware: tagged,
    request: { params: serverParams, query: ownerQuery },
    responses: { 200: json("The webhook.", webhookSchema), 304: notModified, ...refusals(400, 403, 404) },
  }),
  async (c) => {
    const owner = ownerFromQuery(c.req.valid("query"));
    return c.json(wireWebhook(await findWebhook(c.get("context"), owner, c.req.valid("param").name)), 200);
  },
);

webhookRoutes.openapi(
  createRoute({
    method: "put",
    path: "/{name}",
    summary: "Creates or replaces a webhook.",
    request: { params: serverParams, body: jsonBody(webhookRequest) },
    responses: {
      200: json("Replaced. Its secret is unchanged.", webhookSchema),
      201: json("Created, with its secret.", webhookSchema),
      ...refusals(400, 403, 404, 409),
    },
  }),
  async (c) => {
    const { scope, group_name, ...request } = c.req.valid("json");
    const owner = ownerFromQuery({ scope, group_name });
    const { row, secret } = await storeWebhook(c.get("context"), owner, c.req.valid("param").name, request);
    return c.json(wireWebhook(row, secret), secret === null ? 200 : 201);
  },
);

webhookRoutes.openapi(
  createRoute({
    method: "delete",
    path: "/{name}",
    summary: "Deletes a webhook and its deliveries.",
    request: { params: serverParams, query: ownerQuery },
    responses: { 204: noContent, ...refusals(400, 403, 404) },
  }),
  async (c) => {
    const owner = ownerFromQuery(c.req.valid("query"));
    await removeWebhook(c.get("context"), owner, c.req.valid("param").name);
    return c.body(null, 204);
  },
);

webhookRoutes.openapi(
  createRoute({
    method: "post",
    path: "/{name}/rotate",
    summary: "Replaces the secret of a webhook.",
    request: { params: serverParams, query: ownerQuery },
    responses: {
      200: json("The new secret.", () => z.object({ secret: z.string() }).openapi("WebhookSecret")),
      ...refusals(400, 403, 404),
    },
  }),
  async (c) => {
    const owner = ownerFromQuery(c.req.valid("query"));
    return c.json({ secret: await rotateWebhookSecret(c.get("context"), owner, c.req.valid("param").name) }, 200);
  },
);

webhookRoutes.openapi(
  createRoute({
    method: "post",
    path: "/{name}/test",
    summary: "Sends a test event to a webhook.",
    request: { params: serverParams, query: ownerQuery },
    responses: { 202: json("The queued delivery.", deliverySchema), ...refusals(400, 403, 404) },
  }),
  async (c) => {
    const owner = ownerFromQuery(c.req.valid("query"));
    return c.json(wireDelivery(await testWebhook(c.get("context"), owner, c.req.valid("param").name)), 202);
  },
);

webhookRoutes.openapi(
  createRoute({
    method: "get",
    path: "/{name}/deliveries",
    summary: "Lists the deliveries of a webhook, newest first.",
    request: { params: serverParams, query: pageQuery.extend(ownerFields).refine(groupNamed, groupNamedMessage) },
    responses: {
      200: json("A page of the list.", () =>
        z.object({ items: z.array(deliverySchema()), next_cursor: z.string().nullable() }),
      ),
      ...refusals(400, 403, 404),
    },
  }),
  async (c) => {
    const { limit = REQUEST_LIMITS.listLimit, cursor, ...owner } = c.req.valid("query");
    const { rows, nextCursor } = await readDeliveries(
      c.get("context"),
      ownerFromQuery(owner),
      c.req.valid("param").name,
      { limit, cursor },
    );
    return c.json({ items: rows.map(wireDelivery), next_cursor: nextCursor }, 200);
  },
);

webhookRoutes.openapi(
  createRoute({
    method: "post",
    path: "/{name}/deliveries/{id}/resend",
    summary: "Sends a delivery again.",
    request: { params: deliveryParams, query: ownerQuery },
    responses: { 202: json("The queued delivery.", deliverySchema), ...refusals(400, 403, 404) },
  }),
  async (c) => {
    const owner = ownerFromQuery(c.req.valid("query"));
    const { name: webhook, id } = c.req.valid("param");
    return c.json(wireDelivery(await resendDelivery(c.get("context"), owner, webhook, id)), 202);
  },
);

function wireWebhook(row: WebhookRow, secret: string | null = null): z.infer<ReturnType<typeof webhookSchema>> {
  const { name, scope, url, events, enabled, disabledReason, createdAt, updatedAt } = row;
  return {
    name,
    ...wireOwner(scope),
    url,
    // Events that another version of the gateway stored are not shown.
    events: WEBHOOK_EVENTS.filter((known) => events.includes(known)),
    enabled,
    ...(disabledReason === null ? {} : { disabled_reason: disabledReason }),
    ...(secret === null ? {} : { secret }),
    created_at: instant(createdAt),
    updated_at: instant(updatedAt),
  };
}

function wireDelivery(row: DeliveryRow): z.infer<ReturnType<typeof deliverySchema>> {
  const { id, type, data, at, state, attempts, nextAt, status, problem } = row;
  const next = state === "pending" ? { next_attempt_at: instant(nextAt) } : {};
  return { id, type, data, timestamp: instant(at), state, attempts, ...next, status, problem };
}
