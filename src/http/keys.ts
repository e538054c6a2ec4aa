// /api/v1/keys and /api/v1/me: who may call, and who is calling.

import { createRoute } from "@hono/zod-openapi";
import { KEY_SCOPES } from "../domain/access";
import { REQUEST_LIMITS } from "../domain/limits";
import { createKey, deleteKey, readKeys } from "../services/keys";
import type { KeyRow } from "../storage/keys";
import { router } from "./router";
import {
  groupName,
  instant,
  json,
  jsonBody,
  noContent,
  pageQuery,
  refusals,
  refuseIdempotencyKey,
  userId,
} from "./schemas";
import * as z from "./zod";

const keyRequest = z.strictObject({
  user_id: userId,
  role: z.enum(["user", "admin"]).default("user"),
  name: z.string().min(1).max(200).optional(),
  scopes: z.array(z.enum(KEY_SCOPES)).max(16).default([]),
  groups: z.array(groupName).max(64).default([]),
  expires_at: z.iso.datetime({ offset: true }).optional(),
});

const keySchema = () =>
  z
    .object({
      id: z.string(),
      user_id: z.string(),
      role: z.enum(["user", "admin"]),
      name: z.string().nullable(),
      scopes: z.array(z.string()),
      groups: z.array(z.string()),
      expires_at: z.string().nullable(),
      created_at: z.string(),
    })
    .openapi("Key");

const createdKeySchema = () => keySchema().extend({ key: z.string() }).openapi("CreatedKey");

const meSchema = () =>
  z
    .object({
      user_id: z.string(),
      role: z.enum(["user", "admin"]),
      groups: z.array(z.string()),
      scopes: z.array(z.string()),
    })
    .openapi("Me");

export const keys = router();

keys.openapi(
  createRoute({
    method: "post",
    path: "/keys",
    summary: "Make an API key (admin); the key is shown this once",
    middleware: refuseIdempotencyKey,
    request: { body: jsonBody(keyRequest) },
    responses: {
      201: json("The key.", createdKeySchema),
      ...refusals(400, 403, 415),
    },
  }),
  async (c) => {
    const { expires_at, ...request } = c.req.valid("json");
    const expiry = expires_at === undefined ? {} : { expires_at: Date.parse(expires_at) };
    const { row, key } = await createKey(c.get("context"), { ...request, ...expiry });
    return c.json({ ...wireKey(row), key }, 201, { "cache-control": "no-store" });
  },
);

keys.openapi(
  createRoute({
    method: "get",
    path: "/keys",
    summary: "Live keys, newest first (admin)",
    request: { query: pageQuery },
    responses: {
      200: json("A page of keys, without their secrets.", () =>
        z.object({ items: z.array(keySchema()), next_cursor: z.string().nullable() }),
      ),
      ...refusals(400, 403),
    },
  }),
  async (c) => {
    const { limit, cursor } = c.req.valid("query");
    const { rows, nextCursor } = await readKeys(c.get("context"), limit ?? REQUEST_LIMITS.listLimit, cursor);
    return c.json({ items: rows.map(wireKey), next_cursor: nextCursor }, 200);
  },
);

keys.openapi(
  createRoute({
    method: "delete",
    path: "/keys/{id}",
    summary: "Revoke a key at once (admin)",
    request: { params: z.object({ id: z.string() }) },
    responses: { 204: noContent, ...refusals(403, 404) },
  }),
  async (c) => {
    await deleteKey(c.get("context"), c.req.valid("param").id);
    return c.body(null, 204);
  },
);

keys.openapi(
  createRoute({
    method: "get",
    path: "/me",
    summary: "Who this key speaks for",
    responses: {
      200: json("The principal.", meSchema),
      ...refusals(),
    },
  }),
  (c) => {
    const { userId, role, groups, scopes } = c.get("context").caller.principal;
    return c.json({ user_id: userId, role, groups: [...groups], scopes: [...scopes] }, 200);
  },
);

function wireKey(row: KeyRow): z.infer<ReturnType<typeof keySchema>> {
  return {
    id: row.id,
    user_id: row.userId,
    role: row.role,
    name: row.name,
    scopes: row.scopes,
    groups: row.groups,
    expires_at: row.expiresAt === null ? null : instant(row.expiresAt),
    created_at: instant(row.createdAt),
  };
}
