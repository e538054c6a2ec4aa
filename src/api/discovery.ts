// Where a client learns how to sign in: the protected-resource metadata of RFC 9728.

import { createRoute } from "@hono/zod-openapi";
import { settingsFrom } from "../domain/settings";
import { MCP_PATH, WELL_KNOWN } from "../edge/challenge";
import { router } from "../edge/router";
import { json, only } from "../edge/schemas";
import * as z from "../edge/zod";

const metadataSchema = z
  .object({
    resource: z.string(),
    resource_name: z.string(),
    authorization_servers: z.array(z.string()).optional(),
    bearer_methods_supported: z.array(z.literal("header")),
  })
  .openapi("ProtectedResource");

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
    (c) => {
      const { JWT_ISSUER: issuer } = settingsFrom(c.env);
      const metadata = {
        resource: new URL(c.req.url).origin + path,
        resource_name: "Skill Gateway",
        ...(issuer === undefined ? {} : { authorization_servers: [issuer] }),
        bearer_methods_supported: ["header" as const],
      };
      return c.json(metadata, 200, { "cache-control": "public, max-age=300", "access-control-allow-origin": "*" });
    },
  );
}
