// Routes for /api/v1/connections and /api/v1/mcp-servers/{name}/connect: users' sign-ins to MCP servers.

import { createRoute } from "@hono/zod-openapi";
import { CONNECTION_ENDS, CONNECTION_STATES } from "../domain/connections/connection";
import { CONNECTION_LIMITS } from "../domain/connections/limits";
import { REQUEST_LIMITS } from "../domain/limits";
import { settingsFrom } from "../domain/settings/settings";
import { publicOrigin } from "../domain/sign-in/resource";
import { router } from "../edge/router";
import {
  instant,
  json,
  jsonBody,
  noContent,
  optionalJsonBody,
  pageQuery,
  refusals,
  refuseIdempotencyKey,
} from "../edge/schemas";
import * as z from "../edge/zod";
import { confirmConnection, readConnections, removeConnection } from "../services/connections/manage";
import { connectServer } from "../services/servers/connect-server";
import type { ConnectionRow } from "../storage/d1/servers/connections";
import { serverParams } from "./mcp-servers";
import { ownerInResponse, wireOwner } from "./owner";

const connectionSchema = () =>
  z
    .object({
      id: z.string(),
      server: z.string(),
      ...ownerInResponse(),
      url: z.string().openapi({ description: "The URL of the server. A connection is not used for another URL." }),
      issuer: z.string().openapi({ description: "The authorization server at which the user signed in." }),
      granted: z.array(z.string()).openapi({ description: "The scopes that the issuer granted." }),
      state: z
        .enum(CONNECTION_STATES)
        .openapi({ description: "`pending`: waits for `confirm`. `ended`: connect the server again." }),
      ended_by: z.enum(CONNECTION_ENDS).optional(),
      created_at: z.string(),
      expires_at: z
        .string()
        .nullable()
        .openapi({ description: "The end of the current access token. The gateway renews it if it can." }),
    })
    .openapi("Connection");

const connectRequest = () =>
  z.strictObject({
    return_to: z.string().max(CONNECTION_LIMITS.returnToChars).optional().openapi({
      description:
        "The page to return to, at an origin in `ALLOWED_ORIGINS`. It receives `#connection=…&proof=…` and confirms the connection. Without it, the user signs in to the gateway on its own page.",
    }),
  });

const linkSchema = () =>
  z
    .object({
      url: z.string().openapi({ description: "The page of the gateway that the user opens." }),
      expires_at: z.string(),
    })
    .openapi("ConnectLink");

const params = z.object({ id: z.string() });

export const connectionRoutes = router();

connectionRoutes.openapi(
  createRoute({
    method: "post",
    path: "/mcp-servers/{name}/connect",
    summary: "Creates a link with which you sign in to an MCP server.",
    middleware: refuseIdempotencyKey,
    request: { params: serverParams, body: optionalJsonBody(connectRequest) },
    responses: { 201: json("The link, valid for 10 minutes.", linkSchema), ...refusals(400, 403, 404, 409, 415) },
  }),
  async (c) => {
    const { return_to: returnTo } = c.req.valid("json") ?? {};
    const origin = publicOrigin(settingsFrom(c.env), c.req.url);
    const { url, expiresAt } = await connectServer(c.get("context"), c.req.valid("param").name, { origin, returnTo });
    return c.json({ url, expires_at: instant(expiresAt) }, 201, { "cache-control": "no-store" });
  },
);

connectionRoutes.openapi(
  createRoute({
    method: "get",
    path: "/connections",
    summary: "Lists your connections to MCP servers, oldest first.",
    request: { query: pageQuery },
    responses: {
      200: json("A page.", () => z.object({ items: z.array(connectionSchema()), next_cursor: z.string().nullable() })),
      ...refusals(400, 403),
    },
  }),
  async (c) => {
    const { limit = REQUEST_LIMITS.listLimit, cursor } = c.req.valid("query");
    const { rows, nextCursor } = await readConnections(c.get("context"), limit, cursor);
    return c.json({ items: rows.map(wireConnection), next_cursor: nextCursor }, 200);
  },
);

connectionRoutes.openapi(
  createRoute({
    method: "post",
    path: "/connections/{id}/confirm",
    summary: "Activates a connection with the proof that the user's browser brought back.",
    middleware: refuseIdempotencyKey,
    request: {
      params,
      body: jsonBody(() => z.strictObject({ proof: z.string().regex(/^[0-9a-f]{64}$/, "64 hexadecimal digits") })),
    },
    responses: { 200: json("The active connection.", connectionSchema), ...refusals(400, 403, 404, 415) },
  }),
  async (c) => {
    const { proof } = c.req.valid("json");
    return c.json(wireConnection(await confirmConnection(c.get("context"), c.req.valid("param").id, proof)), 200);
  },
);

connectionRoutes.openapi(
  createRoute({
    method: "delete",
    path: "/connections/{id}",
    summary: "Deletes a connection and revokes its tokens at the issuer.",
    request: { params },
    responses: { 204: noContent, ...refusals(403, 404) },
  }),
  async (c) => {
    await removeConnection(c.get("context"), c.req.valid("param").id);
    return c.body(null, 204);
  },
);

function wireConnection(row: ConnectionRow): z.infer<ReturnType<typeof connectionSchema>> {
  const { endedBy } = row;
  const why = CONNECTION_ENDS.find((one) => one === endedBy);
  return {
    id: row.id,
    server: row.server,
    ...wireOwner(row.scope),
    url: row.url,
    issuer: row.issuer,
    granted: (row.granted ?? "").split(" ").filter((scope) => scope !== ""),
    state: row.state,
    ...(why === undefined ? {} : { ended_by: why }),
    created_at: instant(row.createdAt),
    expires_at: row.expiresAt === null ? null : instant(row.expiresAt),
  };
}
