// Routes for /api/v1/oauth-clients: pre-registered clients, for MCP hosts that require an id and a secret.

import { createRoute } from "@hono/zod-openapi";
import { decodeCursor, encodeCursor } from "../../domain/cursor";
import { REQUEST_LIMITS } from "../../domain/limits";
import { SERVER_NAME } from "../../domain/servers/entry";
import { SIGN_IN_LIMITS } from "../../domain/sign-in/limits";
import { preRegisteredClientId } from "../../domain/sign-in/pre-registered";
import { router } from "../../edge/router";
import { instant, json, jsonBody, noContent, pageQuery, refusals, refuseIdempotencyKey } from "../../edge/schemas";
import * as z from "../../edge/zod";
import {
  pageOfPreRegisteredClients,
  removePreRegisteredClient,
  storePreRegisteredClient,
} from "../../services/sign-in/pre-registered-clients";
import type { PreRegisteredClientRow } from "../../storage/d1/sign-in/pre-registered-clients";

const params = z.object({
  name: z.string().regex(SERVER_NAME, "1-64 of A-Za-z0-9._-, starting with a letter or digit"),
});

const clientRequest = () =>
  z.strictObject({
    display_name: z.string().min(1).max(SIGN_IN_LIMITS.nameChars),
    redirect_uris: z.array(z.string()).min(1).max(SIGN_IN_LIMITS.redirectUris),
  });

const clientSchema = () =>
  z
    .object({
      name: z.string(),
      client_id: z.string().openapi({ description: "The client id to enter in the program." }),
      display_name: z.string(),
      redirect_uris: z.array(z.string()),
      created_at: z.string(),
      updated_at: z.string(),
    })
    .openapi("OAuthClient");

const newClientSchema = () => clientSchema().extend({ client_secret: z.string() }).openapi("NewOAuthClient");

export const oauthClientRoutes = router();

oauthClientRoutes.openapi(
  createRoute({
    method: "get",
    path: "/",
    summary: "Lists OAuth clients with a secret, by name.",
    request: { query: pageQuery },
    responses: {
      200: json("A page without secrets.", () =>
        z.object({ items: z.array(clientSchema()), next_cursor: z.string().nullable() }),
      ),
      ...refusals(400, 403),
    },
  }),
  async (c) => {
    const { limit = REQUEST_LIMITS.listLimit, cursor } = c.req.valid("query");
    const rows = await pageOfPreRegisteredClients(c.get("context"), limit + 1, decodeCursor(cursor, z.string()));
    const page = rows.slice(0, limit);
    const next = rows.length > limit ? encodeCursor(page.at(-1)?.name) : null;
    return c.json({ items: page.map(wireClient), next_cursor: next }, 200);
  },
);

oauthClientRoutes.openapi(
  createRoute({
    method: "put",
    path: "/{name}",
    summary: "Registers an OAuth client with an id and a secret, or changes one.",
    middleware: refuseIdempotencyKey,
    request: { params, body: jsonBody(clientRequest) },
    responses: {
      200: json("Updated. The secret is unchanged and not returned.", clientSchema),
      201: json("Created. The secret is returned only once.", newClientSchema),
      ...refusals(400, 403, 409, 415),
    },
  }),
  async (c) => {
    const { display_name: displayName, redirect_uris: redirectUris } = c.req.valid("json");
    const words = { displayName, redirectUris };
    const { row, secret } = await storePreRegisteredClient(c.get("context"), c.req.valid("param").name, words);
    if (secret === null) return c.json(wireClient(row), 200);
    return c.json({ ...wireClient(row), client_secret: secret }, 201, { "cache-control": "no-store" });
  },
);

oauthClientRoutes.openapi(
  createRoute({
    method: "delete",
    path: "/{name}",
    summary: "Deletes an OAuth client and revokes its grants.",
    request: { params },
    responses: { 204: noContent, ...refusals(400, 403, 404) },
  }),
  async (c) => {
    await removePreRegisteredClient(c.get("context"), c.req.valid("param").name);
    return c.body(null, 204);
  },
);

function wireClient(row: PreRegisteredClientRow): z.infer<ReturnType<typeof clientSchema>> {
  return {
    name: row.name,
    client_id: preRegisteredClientId(row.name),
    display_name: row.displayName,
    redirect_uris: [...row.redirectUris],
    created_at: instant(row.createdAt),
    updated_at: instant(row.updatedAt),
  };
}
