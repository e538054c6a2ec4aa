// /api/v1/secrets: stores values that cannot be read again.

import { createRoute } from "@hono/zod-openapi";
import { decodeCursor, encodeCursor } from "../domain/cursor";
import { REQUEST_LIMITS, SECRET_LIMITS } from "../domain/limits";
import { BOUND_HOST, isBoundHost } from "../domain/servers/binding";
import { SECRET_NAME } from "../domain/servers/template";
import { notModified, tagged } from "../edge/etag";
import { router } from "../edge/router";
import { instant, json, jsonBody, noContent, pageQuery, refusals } from "../edge/schemas";
import * as z from "../edge/zod";
import { oneSecret, pageOfSecrets, removeSecret, rotateSecrets, storeSecret } from "../services/secrets/secrets";
import type { SecretFacts } from "../storage/d1/secrets";
import {
  groupNamed,
  groupNamedMessage,
  ownerFields,
  ownerFromQuery,
  ownerInResponse,
  ownerQuery,
  wireOwner,
} from "./owner";

const params = z.object({ name: z.string().regex(SECRET_NAME, "1-64 of A-Za-z0-9_, not starting with a digit") });

const host = z
  .string()
  .max(260)
  .regex(BOUND_HOST, "is not a host name such as api.example.com or *.example.com, with an optional port")
  .refine(isBoundHost, "has an invalid port");

const secretRequest = () =>
  z
    .strictObject({
      value: z
        .string()
        .min(SECRET_LIMITS.minChars)
        .max(SECRET_LIMITS.chars)
        .regex(/^\P{Cc}*$/u, "contains control characters"),
      hosts: z.array(host).min(1).max(SECRET_LIMITS.hosts),
      ...ownerFields,
    })
    .refine(groupNamed, groupNamedMessage)
    .openapi("NewSecret");

const secretSchema = () =>
  z
    .object({
      name: z.string(),
      ...ownerInResponse(),
      hosts: z.array(z.string()),
      created_at: z.string(),
      updated_at: z.string(),
      last_used_at: z.string().nullable(),
    })
    .openapi("Secret");

export const secretRoutes = router();

secretRoutes.openapi(
  createRoute({
    method: "post",
    path: "/rotate",
    summary: "Re-encrypts secrets with the current key.",
    responses: {
      200: json("The number of secrets that were encrypted again, and that remain.", () =>
        z.object({ rotated: z.int(), remaining: z.int() }),
      ),
      ...refusals(403),
    },
  }),
  async (c) => c.json(await rotateSecrets(c.get("context")), 200),
);

secretRoutes.openapi(
  createRoute({
    method: "get",
    path: "/",
    summary: "Lists secrets by name, without values.",
    request: { query: pageQuery.extend(ownerFields).refine(groupNamed, groupNamedMessage) },
    responses: {
      200: json("A page of the list.", () =>
        z.object({ items: z.array(secretSchema()), next_cursor: z.string().nullable() }),
      ),
      ...refusals(400, 403, 404),
    },
  }),
  async (c) => {
    const { limit = REQUEST_LIMITS.listLimit, cursor, ...asked } = c.req.valid("query");
    const rows = await pageOfSecrets(
      c.get("context"),
      ownerFromQuery(asked),
      limit + 1,
      decodeCursor(cursor, z.string()),
    );
    const page = rows.slice(0, limit);
    const next = rows.length > limit ? encodeCursor(page.at(-1)?.name) : null;
    return c.json({ items: page.map(wireSecret), next_cursor: next }, 200);
  },
);

secretRoutes.openapi(
  createRoute({
    method: "get",
    path: "/{name}",
    summary: "Returns a secret without its value.",
    middleware: tagged,
    request: { params, query: ownerQuery },
    responses: { 200: json("The secret.", secretSchema), 304: notModified, ...refusals(400, 403, 404) },
  }),
  async (c) => {
    const { name } = c.req.valid("param");
    return c.json(wireSecret(await oneSecret(c.get("context"), ownerFromQuery(c.req.valid("query")), name)), 200);
  },
);

secretRoutes.openapi(
  createRoute({
    method: "put",
    path: "/{name}",
    summary: "Creates or replaces a secret.",
    request: { params, body: jsonBody(secretRequest) },
    responses: {
      200: json("Replaced.", secretSchema),
      201: json("Created.", secretSchema),
      ...refusals(400, 403, 404, 409),
    },
  }),
  async (c) => {
    const { value, hosts, ...asked } = c.req.valid("json");
    const request = { name: c.req.valid("param").name, value, hosts };
    const { secret, created } = await storeSecret(c.get("context"), ownerFromQuery(asked), request);
    return c.json(wireSecret(secret), created ? 201 : 200);
  },
);

secretRoutes.openapi(
  createRoute({
    method: "delete",
    path: "/{name}",
    summary: "Deletes a secret.",
    request: { params, query: ownerQuery },
    responses: { 204: noContent, ...refusals(400, 403, 404) },
  }),
  async (c) => {
    await removeSecret(c.get("context"), ownerFromQuery(c.req.valid("query")), c.req.valid("param").name);
    return c.body(null, 204);
  },
);

function wireSecret({ scope, ...row }: SecretFacts): z.infer<ReturnType<typeof secretSchema>> {
  return {
    name: row.name,
    ...wireOwner(scope),
    hosts: row.hosts,
    created_at: instant(row.createdAt),
    updated_at: instant(row.updatedAt),
    last_used_at: row.lastUsedAt === null ? null : instant(row.lastUsedAt),
  };
}
