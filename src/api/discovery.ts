// Where a client learns how to sign in: the protected-resource metadata of RFC 9728.

import { createRoute } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import { settingsFrom } from "../domain/settings/settings";
import { MCP_PATH, WELL_KNOWN } from "../edge/challenge";
import type { HttpEnv } from "../edge/env";
import { router } from "../edge/router";
import { json, only } from "../edge/schemas";
import * as z from "../edge/zod";

const metadataSchema = () =>
  z
    .object({
      resource: z.string(),
      resource_name: z.string(),
      authorization_servers: z.array(z.string()).optional(),
      bearer_methods_supported: z.array(z.literal("header")),
    })
    .openapi("ProtectedResource");

const CACHED = { "cache-control": "public, max-age=300" };

export const discoveryRoute = router();

for (const path of ["", MCP_PATH]) {
  discoveryRoute.openapi(
    createRoute({
      method: "get",
      path: `${WELL_KNOWN}${path}`,
      summary: path === "" ? "How to sign in (RFC 9728)" : "How to sign in over MCP (RFC 9728)",
      security: [],
      responses: { 200: json("The metadata of this protected resource.", metadataSchema), ...only(429) },
    }),
    (c) => c.json(metadataOf(c), 200, CACHED),
  );
}

// Every URL below /mcp is a resource of its own, whether it exists or not: this tells nobody what does.
discoveryRoute.get(`${WELL_KNOWN}${MCP_PATH}/*`, (c) => c.json(metadataOf(c), 200, CACHED));

/** The resource is the very URL that was asked about, its query included. */
function metadataOf(c: HonoContext<HttpEnv>): z.infer<ReturnType<typeof metadataSchema>> {
  const { JWT_ISSUER: issuer } = settingsFrom(c.env);
  const { origin, pathname, search } = new URL(c.req.url);
  const path = pathname.slice(WELL_KNOWN.length);
  return {
    resource: origin + path + (path === "" ? "" : search),
    resource_name: "Skill Gateway",
    ...(issuer === undefined ? {} : { authorization_servers: [issuer] }),
    bearer_methods_supported: ["header"],
  };
}
