// Routes for /api/v1/mcp-servers: MCP servers that every conversation can use.

import { createRoute } from "@hono/zod-openapi";
import { decodeCursor, encodeCursor } from "../domain/cursor";
import { REQUEST_LIMITS } from "../domain/limits";
import { SERVER_NAME } from "../domain/servers/entry";
import { gatewayEntrySchema } from "../domain/servers/owner";
import { notModified, tagged } from "../edge/etag";
import { router } from "../edge/router";
import { instant, json, jsonBody, noContent, pageQuery, refusals } from "../edge/schemas";
import * as z from "../edge/zod";
import { serverHealth } from "../services/registry/server-checks";
import { approveServerSkill, listServerSkills, removeServerAndSkills } from "../services/registry/server-skills";
import { approveServer, oneServer, pageOfServers, storeServer, testServer } from "../services/servers/admin";
import type { ServerRow } from "../storage/d1/mcp-servers";
import type { ServerCheckRow, ServerSkillState } from "../storage/d1/servers/checks";

export const serverParams = z.object({
  name: z.string().regex(SERVER_NAME, "1-64 of A-Za-z0-9._-, starting with a letter or digit"),
});
const entrySchema = () => gatewayEntrySchema.unwrap().strict().openapi("McpServerEntry");

const serverSchema = () =>
  gatewayEntrySchema
    .unwrap()
    .extend({
      name: z.string(),
      /** The approved tools of its guard. */
      approved: z.array(z.string()).optional(),
      /** Time since which calls from conversations fail; absent: they do not fail, or there are none. */
      down_since: z.string().optional(),
      created_at: z.string(),
      updated_at: z.string(),
    })
    .openapi("McpServer");

export const serverTestSchema = () =>
  z
    .object({
      reachable: z.boolean(),
      latency_ms: z.number(),
      protocol_version: z.string().optional(),
      era: z.enum(["legacy", "modern"]).optional(),
      server: z.object({ name: z.string(), version: z.string() }).optional(),
      tools: z.array(z.object({ name: z.string(), description: z.string() })),
      problems: z.array(z.string()),
      error: z.string().optional(),
    })
    .openapi("McpServerTest");

const serverSkillSchema = () =>
  z
    .object({
      uri: z.string(),
      name: z.string(),
      description: z.string(),
      digest: z.string().nullable(),
      files: z.number(),
      bytes: z.number(),
      resources: z.array(z.object({ path: z.string(), bytes: z.number(), digest: z.string() })),
      state: z.enum(["new", "approved", "changed", "withdrawn", "unusable"]),
      problem: z.string().nullable(),
      skill_id: z.string().nullable(),
    })
    .openapi("ServerSkill");
const detailSchema = () =>
  serverSchema()
    .extend({
      /** Scheduled checks of the last 7 days, newest first, at most 100. `url` is as in the entry. */
      checks: z.array(
        z.object({ at: z.string(), url: z.string(), latency_ms: z.number(), error: z.string().optional() }),
      ),
      /** Skills that were approved from the server, as the last check found them. */
      skills: z.array(
        z.object({
          skill_id: z.string(),
          name: z.string(),
          state: z.enum(["approved", "changed", "missing", "withdrawn"]),
          checked_at: z.string(),
        }),
      ),
    })
    .openapi("McpServerDetails");
const approvalSchema = () =>
  z
    .strictObject({ uri: z.string().max(1_024), digest: z.string().regex(/^sha256:[0-9a-f]{64}$/) })
    .openapi("ServerSkillApproval");

export const mcpServerRoutes = router();

mcpServerRoutes.openapi(
  createRoute({
    method: "get",
    path: "/",
    summary: "Lists the gateway's MCP servers by name.",
    request: { query: pageQuery },
    responses: {
      200: json("A page of the list.", () =>
        z.object({ items: z.array(serverSchema()), next_cursor: z.string().nullable() }),
      ),
      ...refusals(400, 403),
    },
  }),
  async (c) => {
    const { limit = REQUEST_LIMITS.listLimit, cursor } = c.req.valid("query");
    const rows = await pageOfServers(c.get("context"), limit + 1, decodeCursor(cursor, z.string()));
    const page = rows.slice(0, limit);
    const next = rows.length > limit ? encodeCursor(page.at(-1)?.name) : null;
    return c.json({ items: page.map(wireServer), next_cursor: next }, 200);
  },
);

mcpServerRoutes.openapi(
  createRoute({
    method: "get",
    path: "/{name}",
    summary: "Returns one of the gateway's MCP servers.",
    middleware: tagged,
    request: { params: serverParams },
    responses: { 200: json("The server.", detailSchema), 304: notModified, ...refusals(400, 403, 404) },
  }),
  async (c) => {
    const { name } = c.req.valid("param");
    const [server, { checks, skills }] = await Promise.all([
      oneServer(c.get("context"), name),
      serverHealth(c.get("context"), name),
    ]);
    return c.json({ ...wireServer(server), checks: checks.map(wireCheck), skills: skills.map(wireSkillState) }, 200);
  },
);

mcpServerRoutes.openapi(
  createRoute({
    method: "put",
    path: "/{name}",
    summary: "Creates or replaces an MCP server of the gateway.",
    request: { params: serverParams, body: jsonBody(entrySchema) },
    responses: {
      200: json("Replaced.", serverSchema),
      201: json("Created.", serverSchema),
      ...refusals(400, 403, 409),
    },
  }),
  async (c) => {
    const { row, created } = await storeServer(c.get("context"), c.req.valid("param").name, c.req.valid("json"));
    return c.json(wireServer(row), created ? 201 : 200);
  },
);

mcpServerRoutes.openapi(
  createRoute({
    method: "delete",
    path: "/{name}",
    summary: "Deletes an MCP server of the gateway.",
    request: { params: serverParams },
    responses: { 204: noContent, ...refusals(400, 403, 404) },
  }),
  async (c) => {
    await removeServerAndSkills(c.get("context"), c.req.valid("param").name);
    return c.body(null, 204);
  },
);

mcpServerRoutes.openapi(
  createRoute({
    method: "post",
    path: "/{name}/test",
    summary: "Tests a connection to an MCP server of the gateway.",
    request: { params: serverParams },
    responses: { 200: json("The tools of the server, or the error.", serverTestSchema), ...refusals(400, 403, 404) },
  }),
  async (c) => {
    const later = (work: Promise<void>) => c.executionCtx.waitUntil(work);
    return c.json(await testServer(c.get("context"), c.req.valid("param").name, later), 200);
  },
);

mcpServerRoutes.openapi(
  createRoute({
    method: "post",
    path: "/{name}/approve",
    summary: "Approves the current tools of an MCP server.",
    request: { params: serverParams },
    responses: { 200: json("The server with its approved tools.", serverSchema), ...refusals(400, 403, 404, 409) },
  }),
  async (c) => {
    const later = (work: Promise<void>) => c.executionCtx.waitUntil(work);
    return c.json(wireServer(await approveServer(c.get("context"), c.req.valid("param").name, later)), 200);
  },
);

mcpServerRoutes.openapi(
  createRoute({
    method: "get",
    path: "/{name}/skills",
    summary: "Lists the skills that an MCP server offers.",
    request: { params: serverParams },
    responses: {
      200: json("The skills, and approved ones that the server does not offer any more.", () =>
        z.object({ items: z.array(serverSkillSchema()) }),
      ),
      ...refusals(400, 403, 404, 409),
    },
  }),
  async (c) => {
    const later = (work: Promise<void>) => c.executionCtx.waitUntil(work);
    return c.json({ items: await listServerSkills(c.get("context"), c.req.valid("param").name, later) }, 200);
  },
);

mcpServerRoutes.openapi(
  createRoute({
    method: "post",
    path: "/{name}/skills",
    summary: "Approves a skill that an MCP server offers, and publishes it.",
    request: { params: serverParams, body: jsonBody(approvalSchema) },
    responses: {
      200: json("The approved skill.", serverSkillSchema),
      ...refusals(400, 403, 404, 409, 415, 422, 429),
    },
  }),
  async (c) => {
    const later = (work: Promise<void>) => c.executionCtx.waitUntil(work);
    const { name } = c.req.valid("param");
    return c.json(await approveServerSkill(c.get("context"), name, c.req.valid("json"), later), 200);
  },
);

function wireCheck({ at, url, ms, problem }: ServerCheckRow) {
  return { at: instant(at), url, latency_ms: ms, ...(problem === null ? {} : { error: problem }) };
}

function wireSkillState({ skillId, name, state, checkedAt }: ServerSkillState & { name: string }) {
  return { skill_id: skillId, name, state, checked_at: instant(checkedAt) };
}

function wireServer({
  name,
  entry,
  approved,
  downSince,
  createdAt,
  updatedAt,
}: ServerRow): z.infer<ReturnType<typeof serverSchema>> {
  return {
    name,
    ...gatewayEntrySchema.parse(entry),
    ...(approved === null ? {} : { approved: Object.keys(approved) }),
    ...(downSince === null ? {} : { down_since: instant(downSince) }),
    created_at: instant(createdAt),
    updated_at: instant(updatedAt),
  };
}
