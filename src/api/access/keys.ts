// Routes for /api/v1/keys: API keys.

import { createRoute } from "@hono/zod-openapi";
import { KEY_SCOPES } from "../../domain/access/key-scope";
import { DURATIONS } from "../../domain/durations";
import { REQUEST_LIMITS } from "../../domain/limits";
import { router } from "../../edge/router";
import {
  described,
  groupName,
  instant,
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
import { createKey, deleteKey, type MadeKey, readKeys, rotateKey } from "../../services/access/keys";
import type { KeyRow } from "../../storage/d1/keys";

const keyRequest = () =>
  z.strictObject({
    user_id: nameableUser,
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
      last_used_at: z.string().nullable().openapi({ description: "Accurate to 10 minutes." }),
      replaces: z.string().nullable().openapi({ description: "The id of the key that this key replaces." }),
    })
    .openapi("Key");

const rotation = () =>
  z.strictObject({
    overlap_s: z
      .int()
      .min(0)
      .max(DURATIONS.keyOverlapMost / 1_000)
      .default(DURATIONS.keyOverlap / 1_000),
  });

const createdKeySchema = () => keySchema().extend({ key: z.string() }).openapi("CreatedKey");

const params = z.object({ id: z.string() });
const NEVER_KEPT = { "cache-control": "no-store" };

export const keyRoutes = router();

keyRoutes.openapi(
  createRoute({
    method: "post",
    path: "/keys",
    summary: "Creates an API key.",
    middleware: refuseIdempotencyKey,
    request: { body: jsonBody(keyRequest) },
    responses: {
      201: json("The key.", createdKeySchema),
      ...refusals(400, 403, 409, 415),
    },
  }),
  async (c) => {
    const { expires_at, ...request } = c.req.valid("json");
    const expiry = expires_at === undefined ? {} : { expires_at: Date.parse(expires_at) };
    return c.json(shown(await createKey(c.get("context"), { ...request, ...expiry })), 201, NEVER_KEPT);
  },
);

keyRoutes.openapi(
  createRoute({
    method: "post",
    path: "/keys/{id}/rotate",
    summary: "Rotates a key.",
    middleware: refuseIdempotencyKey,
    request: { params, body: optionalJsonBody(rotation) },
    responses: {
      201: {
        description: "The new key. It is returned only once.",
        content: { "application/json": described(createdKeySchema) },
      },
      ...refusals(400, 403, 404, 409, 415),
    },
  }),
  async (c) => {
    const { overlap_s } = rotation().parse(c.req.valid("json") ?? {});
    return c.json(
      shown(await rotateKey(c.get("context"), c.req.valid("param").id, overlap_s * 1_000)),
      201,
      NEVER_KEPT,
    );
  },
);

keyRoutes.openapi(
  createRoute({
    method: "get",
    path: "/keys",
    summary: "Lists valid keys, newest first. Admins see the keys of all users.",
    request: { query: pageQuery },
    responses: {
      200: json("A page of keys without their secrets.", () =>
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

keyRoutes.openapi(
  createRoute({
    method: "delete",
    path: "/keys/{id}",
    summary: "Revokes a key.",
    request: { params },
    responses: { 204: noContent, ...refusals(403, 404) },
  }),
  async (c) => {
    await deleteKey(c.get("context"), c.req.valid("param").id);
    return c.body(null, 204);
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
    last_used_at: row.lastUsedAt === null ? null : instant(row.lastUsedAt),
    replaces: row.replaces,
  };
}

function shown({ row, key }: MadeKey): z.infer<ReturnType<typeof createdKeySchema>> {
  return { ...wireKey(row), key };
}
