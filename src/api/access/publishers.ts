// /api/v1/publishers: CI jobs that can publish without a stored key. /api/v1/trusted-publishing/token: exchanges a job's token for a key.

import { createRoute } from "@hono/zod-openapi";
import { createMiddleware } from "hono/factory";
import { groupOfScope, PUBLIC_SCOPE } from "../../domain/access/access";
import { PUBLISHER_NAME, publisherEntrySchema } from "../../domain/access/publisher";
import { decodeCursor, encodeCursor } from "../../domain/cursor";
import { ACCESS_LIMITS, REQUEST_LIMITS } from "../../domain/limits";
import { limitBody, limitJsonDepth } from "../../edge/body";
import { signInContext } from "../../edge/browser/context";
import type { HttpEnv } from "../../edge/edge";
import { problem } from "../../edge/errors";
import { notModified, tagged } from "../../edge/etag";
import { router } from "../../edge/router";
import { groupName, instant, json, jsonBody, noContent, only, pageQuery, refusals } from "../../edge/schemas";
import * as z from "../../edge/zod";
import {
  onePublisher,
  type PublisherOwner,
  pageOfPublishers,
  removePublisher,
  storePublisher,
} from "../../services/access/publishers";
import type { PublisherRow } from "../../storage/d1/publishers";
import { groupNamed, groupNamedMessage } from "../owner";

const params = z.object({
  name: z.string().regex(PUBLISHER_NAME, "1-64 of A-Za-z0-9._-, starting with a letter or digit"),
});

const ownerFields = { scope: z.enum(["user", "group", "public"]).default("user"), group_name: groupName.optional() };
const ownerQuery = z.object(ownerFields).refine(groupNamed, groupNamedMessage);

const publisherRequest = () =>
  publisherEntrySchema
    .unwrap()
    .extend(ownerFields)
    .strict()
    .refine(groupNamed, groupNamedMessage)
    .openapi("PublisherEntry");

const publisherSchema = () =>
  z
    .object({
      id: z.string(),
      name: z.string(),
      scope: z.enum(["user", "group", "public"]),
      group_name: z.string().optional(),
      issuer: z.string(),
      audience: z.string(),
      claims: z.record(z.string(), z.string()),
      skills: z.array(z.string()),
      key_minutes: z.int(),
      created_by: z.string(),
      created_at: z.string(),
      updated_at: z.string(),
      last_used_at: z.string().nullable(),
      last_refusal: z.object({ at: z.string(), reason: z.string() }).nullable(),
    })
    .openapi("Publisher");

export const publisherRoutes = router();

publisherRoutes.openapi(
  createRoute({
    method: "get",
    path: "/",
    summary: "Lists trusted publishers by name.",
    request: { query: pageQuery.extend(ownerFields).refine(groupNamed, groupNamedMessage) },
    responses: {
      200: json("A page of the list.", () =>
        z.object({ items: z.array(publisherSchema()), next_cursor: z.string().nullable() }),
      ),
      ...refusals(400, 403, 404),
    },
  }),
  async (c) => {
    const { limit = REQUEST_LIMITS.listLimit, cursor, ...asked } = c.req.valid("query");
    const after = decodeCursor(cursor, z.string());
    const rows = await pageOfPublishers(c.get("context"), ownerOf(asked), limit + 1, after);
    const page = rows.slice(0, limit);
    const next = rows.length > limit ? encodeCursor(page.at(-1)?.name) : null;
    return c.json({ items: page.map(wirePublisher), next_cursor: next }, 200);
  },
);

publisherRoutes.openapi(
  createRoute({
    method: "get",
    path: "/{name}",
    summary: "Returns a trusted publisher.",
    middleware: tagged,
    request: { params, query: ownerQuery },
    responses: { 200: json("The publisher.", publisherSchema), 304: notModified, ...refusals(400, 403, 404) },
  }),
  async (c) => {
    const { name } = c.req.valid("param");
    return c.json(wirePublisher(await onePublisher(c.get("context"), ownerOf(c.req.valid("query")), name)), 200);
  },
);

publisherRoutes.openapi(
  createRoute({
    method: "put",
    path: "/{name}",
    summary: "Creates or replaces a trusted publisher.",
    request: { params, body: jsonBody(publisherRequest) },
    responses: {
      200: json("Replaced. Its keys have ended.", publisherSchema),
      201: json("Created.", publisherSchema),
      ...refusals(400, 403, 404, 409),
    },
  }),
  async (c) => {
    const { scope, group_name, ...entry } = c.req.valid("json");
    const { name } = c.req.valid("param");
    const { row, created } = await storePublisher(c.get("context"), ownerOf({ scope, group_name }), name, entry);
    return c.json(wirePublisher(row), created ? 201 : 200);
  },
);

publisherRoutes.openapi(
  createRoute({
    method: "delete",
    path: "/{name}",
    summary: "Deletes a trusted publisher.",
    request: { params, query: ownerQuery },
    responses: { 204: noContent, ...refusals(400, 403, 404) },
  }),
  async (c) => {
    await removePublisher(c.get("context"), ownerOf(c.req.valid("query")), c.req.valid("param").name);
    return c.body(null, 204);
  },
);

const exchangeRequest = () =>
  z.strictObject({
    token: z.string().min(1).max(ACCESS_LIMITS.tokenChars),
    publisher: z
      .string()
      .regex(/^pub_[0-9A-Za-z]{1,40}$/, "is not the id of a publisher")
      .optional(),
  });

const exchangedSchema = () =>
  z
    .object({
      key: z.string(),
      expires_at: z.string(),
      skills: z.array(z.string()),
      namespace: z.string(),
    })
    .openapi("PublishingKey");

/** Returns 415 for other bodies, as the table of routes does for routes with a key. */
const onlyJson = createMiddleware<HttpEnv>(async (c, next) => {
  const sent = (c.req.header("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase();
  if (sent === "application/json") return next();
  return problem(c, 415, "UNSUPPORTED_MEDIA_TYPE", "Content type not supported. Send the body as application/json.", {
    accepts: ["application/json"],
  });
});

/** The exchange needs no key: the token is the credential. */
export const publisherExchange = router();

publisherExchange.openapi(
  createRoute({
    method: "post",
    path: "/api/v1/trusted-publishing/token",
    summary: "Exchanges the token of a CI job for a key that can publish.",
    security: [],
    middleware: [onlyJson, limitBody, limitJsonDepth] as const,
    request: { body: jsonBody(exchangeRequest) },
    responses: {
      200: json("The key.", exchangedSchema),
      ...only(400, 401, 413, 415, 429, 503),
    },
  }),
  async (c) => {
    const { token, publisher = null } = c.req.valid("json");
    const { exchangeToken } = await import("../../services/access/publisher-exchange");
    const context = { ...signInContext(c), development: __DEVELOPMENT__ };
    const { key, expiresAt, skills, namespace } = await exchangeToken(context, token, publisher);
    const answer = { key, expires_at: instant(expiresAt), skills, namespace };
    return c.json(answer, 200, { "cache-control": "no-store" });
  },
);

function ownerOf({ scope, group_name }: z.infer<typeof ownerQuery>): PublisherOwner {
  return scope === "group" ? { kind: "group", group: group_name ?? "" } : { kind: scope };
}

function wirePublisher(row: PublisherRow): z.infer<ReturnType<typeof publisherSchema>> {
  const group = groupOfScope(row.scope);
  const { refusedAt, refusedFor } = row;
  return {
    id: row.id,
    name: row.name,
    scope: group !== null ? "group" : row.scope === PUBLIC_SCOPE ? "public" : "user",
    ...(group === null ? {} : { group_name: group }),
    issuer: row.issuer,
    audience: row.audience,
    claims: row.claims,
    skills: row.skills,
    key_minutes: row.keyMinutes,
    created_by: row.createdBy,
    created_at: instant(row.createdAt),
    updated_at: instant(row.updatedAt),
    last_used_at: row.lastUsedAt === null ? null : instant(row.lastUsedAt),
    last_refusal: refusedAt === null || refusedFor === null ? null : { at: instant(refusedAt), reason: refusedFor },
  };
}
