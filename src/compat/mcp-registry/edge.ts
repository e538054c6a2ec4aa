// The gateway's servers in the MCP registry API (v0.1), for hosts such as VS Code. Without a key it lists only what is public.

import type { Context as HonoContext } from "hono";
import * as z from "zod";
import { version as gatewayVersion } from "../../../package.json";
import { decodeCursor, encodeCursor } from "../../domain/cursor";
import { GatewayError, invalid } from "../../domain/errors";
import {
  isRegistryMatch,
  isVersion,
  LATEST,
  type RegistryServer,
  registryDocuments,
} from "../../domain/servers/registry-document";
import { settingsFrom } from "../../domain/settings/settings";
import { publicOrigin } from "../../domain/sign-in/resource";
import { makeContext } from "../../edge/context";
import { crossOriginRegistry } from "../../edge/cors";
import type { Edge, HttpEnv } from "../../edge/edge";
import { answerError, issuesOf } from "../../edge/errors";
import { callersListedServers, openListedServers } from "../../services/servers/listed-servers";
import { openRoutesAt, withKeyIfAny } from "../open-routes";

const PREFIX = "/mcp/registry/v0.1";
const SERVERS = `${PREFIX}/servers`;

/** Unknown parameters are ignored, as in other registries. */
const query = z.object({
  cursor: z.string().max(500).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(30),
  search: z.string().trim().max(100).default(""),
  version: z.string().max(255).default(LATEST),
  updated_since: z.iso
    .datetime({ offset: true })
    .transform((text) => Date.parse(text))
    .default(0),
});

/** The edge of the registry. The conversation `/mcp/registry` is not below its prefix. */
export const mcpRegistry: Edge = openRoutesAt(
  PREFIX,
  (open) => {
    open.use(`${PREFIX}/*`, withKeyIfAny);
    open.get(SERVERS, answerList);
    open.get(`${SERVERS}/:name/versions`, async (c) => answer(c, listOf([await serverOf(c)], null)));
    open.get(`${SERVERS}/:name/versions/:version`, async (c) => {
      const found = await serverOf(c);
      if (!isVersion(found.server, c.req.param("version"))) throw notFound();
      return answer(c, found);
    });
    open.all(`${PREFIX}/*`, () => {
      throw notFound();
    });
  },
  answerRefusal,
  crossOriginRegistry,
);

async function answerList(c: HonoContext<HttpEnv>): Promise<Response> {
  const parsed = query.safeParse(c.req.query());
  if (!parsed.success) throw invalid(issuesOf(parsed.error, "query"));
  const { cursor, limit, search, version, updated_since: updatedSince } = parsed.data;
  const after = decodeCursor(cursor, z.string()) ?? "";
  const found = (await serversFor(c)).filter((one) => isRegistryMatch(one, { search, version, updatedSince }));
  const left = found.filter(({ server }) => server.name > after);
  const page = left.slice(0, limit);
  return answer(c, listOf(page, left.length > limit ? encodeCursor(page.at(-1)?.server.name) : null));
}

async function serverOf(c: HonoContext<HttpEnv>): Promise<RegistryServer> {
  const found = (await serversFor(c)).find(({ server }) => server.name === c.req.param("name"));
  if (found === undefined) throw notFound();
  return found;
}

/** Returns what the caller can find: with a key, all servers that it can use. */
async function serversFor(c: HonoContext<HttpEnv>): Promise<RegistryServer[]> {
  const context = c.get("context");
  const servers =
    context === undefined
      ? await openListedServers(
          makeContext(c.env, { caller: noCaller, later: (work) => c.executionCtx.waitUntil(work) }),
        )
      : await callersListedServers(context);
  return registryDocuments(servers, publicOrigin(settingsFrom(c.env), c.req.url), gatewayVersion);
}

function listOf(servers: readonly RegistryServer[], nextCursor: string | null) {
  return { servers, metadata: { count: servers.length, ...(nextCursor === null ? {} : { nextCursor }) } };
}

function answer(c: HonoContext<HttpEnv>, body: RegistryServer | ReturnType<typeof listOf>): Response {
  const isOpen = c.get("context") === undefined;
  const cacheControl = isOpen ? "public, max-age=60" : "private, no-store";
  return c.json(body, 200, { "cache-control": cacheControl, vary: "authorization" });
}

/** Returns a problem document with the member `error`, which clients of a registry read. */
async function answerRefusal(error: unknown, c: HonoContext<HttpEnv>): Promise<Response> {
  const refusal = answerError(error, c);
  const body = await refusal.json<{ detail: string }>();
  return new Response(JSON.stringify({ ...body, error: body.detail }), refusal);
}

function notFound(): GatewayError {
  return new GatewayError("not_found", "MCP_SERVER_NOT_FOUND", "Server not found. Check its name and version.");
}

function noCaller(): never {
  throw new Error("The registry was asked for its caller without a key.");
}
