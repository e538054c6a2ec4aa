// Routes for /api/v1/grants: authorizations of MCP hosts.

import { createRoute } from "@hono/zod-openapi";
import { REQUEST_LIMITS } from "../../domain/limits";
import { SIGN_IN_METHODS } from "../../domain/sign-in/grant";
import { router } from "../../edge/router";
import { instant, json, noContent, pageQuery, refusals } from "../../edge/schemas";
import * as z from "../../edge/zod";
import { deleteGrant, deleteOwnGrants, readGrants } from "../../services/sign-in/grants";
import type { GrantRow } from "../../storage/d1/sign-in/grants";

const grantSchema = () =>
  z
    .object({
      id: z.string(),
      user_id: z.string(),
      client_id: z.string(),
      client_name: z.string().openapi({ description: "The name that the MCP host gave itself. It is not verified." }),
      resource: z.string().openapi({ description: "The MCP URL that its tokens are valid for." }),
      signed_in_by: z.enum(SIGN_IN_METHODS),
      created_at: z.string(),
      expires_at: z.string(),
      last_used_at: z.string().nullable().openapi({ description: "Accurate to 10 minutes." }),
    })
    .openapi("Grant");

const params = z.object({ id: z.string() });

export const grantRoutes = router();

grantRoutes.openapi(
  createRoute({
    method: "get",
    path: "/grants",
    summary: "Lists sign-ins of MCP hosts (grants), newest first. Admins see the grants of all users.",
    request: { query: pageQuery },
    responses: {
      200: json("A page of valid grants.", () =>
        z.object({ items: z.array(grantSchema()), next_cursor: z.string().nullable() }),
      ),
      ...refusals(400, 403),
    },
  }),
  async (c) => {
    const { limit, cursor } = c.req.valid("query");
    const { rows, nextCursor } = await readGrants(c.get("context"), limit ?? REQUEST_LIMITS.listLimit, cursor);
    return c.json({ items: rows.map(wireGrant), next_cursor: nextCursor }, 200);
  },
);

grantRoutes.openapi(
  createRoute({
    method: "delete",
    path: "/grants/{id}",
    summary: "Revokes one of your grants. Admins can revoke any grant.",
    request: { params },
    responses: { 204: noContent, ...refusals(403, 404) },
  }),
  async (c) => {
    await deleteGrant(c.get("context"), c.req.valid("param").id);
    return c.body(null, 204);
  },
);

grantRoutes.openapi(
  createRoute({
    method: "delete",
    path: "/grants",
    summary: "Revokes all your grants.",
    responses: {
      200: json("The number of revoked grants.", () => z.object({ ended: z.int() })),
      ...refusals(403),
    },
  }),
  async (c) => c.json({ ended: await deleteOwnGrants(c.get("context")) }, 200),
);

function wireGrant(row: GrantRow): z.infer<ReturnType<typeof grantSchema>> {
  return {
    id: row.id,
    user_id: row.userId,
    client_id: row.clientId,
    client_name: row.clientName,
    resource: row.resource,
    signed_in_by: row.via,
    created_at: instant(row.createdAt),
    expires_at: instant(row.expiresAt),
    last_used_at: row.lastUsedAt === null ? null : instant(row.lastUsedAt),
  };
}
