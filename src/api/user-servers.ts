// Routes for /api/v1/servers: MCP servers of users and groups; and /api/v1/me/servers: all servers that the caller can use.

import { createRoute } from "@hono/zod-openapi";
import { decodeCursor, encodeCursor } from "../domain/cursor";
import { REQUEST_LIMITS } from "../domain/limits";
import { userServerEntrySchema } from "../domain/servers/owner";
import { notModified, tagged } from "../edge/etag";
import { router } from "../edge/router";
import { groupName, instant, json, jsonBody, noContent, pageQuery, refusals } from "../edge/schemas";
import * as z from "../edge/zod";
import {
  pageOfUserServers,
  readUserServerEntry,
  removeUserServer,
  type ServerOwner,
  storeUserServer,
  testUserServer,
  type UsableServer,
  usableServers,
} from "../services/servers/user-servers";
import type { UserServerRow } from "../storage/d1/servers/user-servers";
import { serverParams, serverTestSchema } from "./mcp-servers";
import { groupNamed, groupNamedMessage, ownerInResponse, wireOwner } from "./owner";

const keeperFields = { scope: z.enum(["user", "group"]).default("user"), group_name: groupName.optional() };
const keeperQuery = z.object(keeperFields).refine(groupNamed, groupNamedMessage);

const serverRequest = () =>
  userServerEntrySchema
    .unwrap()
    .extend(keeperFields)
    .strict()
    .refine(groupNamed, groupNamedMessage)
    .openapi("OwnServerEntry");

const serverSchema = () =>
  userServerEntrySchema
    .unwrap()
    .extend({
      name: z.string(),
      ...ownerInResponse(),
      /** The same as for servers of the gateway. */
      down_since: z.string().optional(),
      created_at: z.string(),
      updated_at: z.string(),
    })
    .openapi("OwnServer");

const usableSchema = () =>
  z
    .object({ name: z.string(), ...ownerInResponse(), type: z.string(), prefix: z.string().optional() })
    .openapi("UsableServer");

export const userServerRoutes = router();

userServerRoutes.openapi(
  createRoute({
    method: "get",
    path: "/me/servers",
    summary: "Lists the MCP servers of all your conversations.",
    request: { query: pageQuery },
    responses: {
      200: json("A page of the list.", () =>
        z.object({ items: z.array(usableSchema()), next_cursor: z.string().nullable() }),
      ),
      ...refusals(400, 403),
    },
  }),
  async (c) => {
    const { limit = REQUEST_LIMITS.listLimit, cursor } = c.req.valid("query");
    const after = decodeCursor(cursor, z.string());
    const all = (await usableServers(c.get("context"))).filter(({ name }) => after === null || name > after);
    const page = all.slice(0, limit);
    const next = all.length > limit ? encodeCursor(page.at(-1)?.name) : null;
    return c.json({ items: page.map(wireUsable), next_cursor: next }, 200);
  },
);

userServerRoutes.openapi(
  createRoute({
    method: "get",
    path: "/servers",
    summary: "Lists MCP servers of a user or group by name.",
    request: { query: pageQuery.extend(keeperFields).refine(groupNamed, groupNamedMessage) },
    responses: {
      200: json("A page of the list.", () =>
        z.object({ items: z.array(serverSchema()), next_cursor: z.string().nullable() }),
      ),
      ...refusals(400, 403, 404),
    },
  }),
  async (c) => {
    const { limit = REQUEST_LIMITS.listLimit, cursor, ...asked } = c.req.valid("query");
    const after = decodeCursor(cursor, z.string());
    const rows = await pageOfUserServers(c.get("context"), keeperOf(asked), limit + 1, after);
    const page = rows.slice(0, limit);
    const next = rows.length > limit ? encodeCursor(page.at(-1)?.name) : null;
    return c.json({ items: page.map(wireServer), next_cursor: next }, 200);
  },
);

userServerRoutes.openapi(
  createRoute({
    method: "get",
    path: "/servers/{name}",
    summary: "Returns an MCP server of a user or group.",
    middleware: tagged,
    request: { params: serverParams, query: keeperQuery },
    responses: { 200: json("The server.", serverSchema), 304: notModified, ...refusals(400, 403, 404) },
  }),
  async (c) => {
    const { name } = c.req.valid("param");
    return c.json(wireServer(await readUserServerEntry(c.get("context"), keeperOf(c.req.valid("query")), name)), 200);
  },
);

userServerRoutes.openapi(
  createRoute({
    method: "put",
    path: "/servers/{name}",
    summary: "Creates or replaces an MCP server of a user or group.",
    request: { params: serverParams, body: jsonBody(serverRequest) },
    responses: {
      200: json("Replaced.", serverSchema),
      201: json("Created.", serverSchema),
      ...refusals(400, 403, 404, 409),
    },
  }),
  async (c) => {
    const { scope, group_name, ...entry } = c.req.valid("json");
    const { name } = c.req.valid("param");
    const { row, created } = await storeUserServer(c.get("context"), keeperOf({ scope, group_name }), name, entry);
    return c.json(wireServer(row), created ? 201 : 200);
  },
);

userServerRoutes.openapi(
  createRoute({
    method: "delete",
    path: "/servers/{name}",
    summary: "Deletes an MCP server of a user or group.",
    request: { params: serverParams, query: keeperQuery },
    responses: { 204: noContent, ...refusals(400, 403, 404) },
  }),
  async (c) => {
    await removeUserServer(c.get("context"), keeperOf(c.req.valid("query")), c.req.valid("param").name);
    return c.body(null, 204);
  },
);

userServerRoutes.openapi(
  createRoute({
    method: "post",
    path: "/servers/{name}/test",
    summary: "Tests a connection to an MCP server of a user or group.",
    request: { params: serverParams, query: keeperQuery },
    responses: { 200: json("The tools of the server, or the error.", serverTestSchema), ...refusals(400, 403, 404) },
  }),
  async (c) => {
    const later = (work: Promise<void>) => c.executionCtx.waitUntil(work);
    const { name } = c.req.valid("param");
    return c.json(await testUserServer(c.get("context"), keeperOf(c.req.valid("query")), name, later), 200);
  },
);

function keeperOf({ scope, group_name }: z.infer<typeof keeperQuery>): ServerOwner {
  return scope === "group" ? { kind: "group", group: group_name ?? "" } : { kind: "user" };
}

function wireServer({
  scope,
  name,
  entry,
  downSince,
  createdAt,
  updatedAt,
}: UserServerRow): z.infer<ReturnType<typeof serverSchema>> {
  return {
    name,
    ...wireOwner(scope),
    ...userServerEntrySchema.parse(entry),
    ...(downSince === null ? {} : { down_since: instant(downSince) }),
    created_at: instant(createdAt),
    updated_at: instant(updatedAt),
  };
}

/** URL and headers are only visible to the owner. */
function wireUsable({ name, scope, entry }: UsableServer): z.infer<ReturnType<typeof usableSchema>> {
  const { type = "streamable-http", prefix } = userServerEntrySchema.parse(entry);
  return { name, ...wireOwner(scope), type, ...(prefix === undefined ? {} : { prefix }) };
}
