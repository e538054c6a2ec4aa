// Route for /api/v1/server-catalog: MCP servers that can be added.

import { createRoute } from "@hono/zod-openapi";
import { router } from "../edge/router";
import { json, refusals } from "../edge/schemas";
import * as z from "../edge/zod";
import { searchServerCatalog } from "../services/servers/catalog";

const query = z.object({ q: z.string().trim().max(100).default("") });

const catalogServerSchema = () =>
  z
    .object({
      name: z.string(),
      title: z.string(),
      description: z.string(),
      entry_name: z.string(),
      type: z.enum(["streamable-http", "sse"]),
      url: z.string(),
      sign_in: z.enum(["oauth", "none"]).nullable(),
      headers: z.array(
        z.object({ name: z.string(), description: z.string(), required: z.boolean(), secret: z.boolean() }),
      ),
      from: z.enum(["curated", "registry"]),
      source: z.string(),
      checked: z.string().nullable(),
      version: z.string().nullable(),
    })
    .openapi("CatalogServer");

export const serverCatalogRoutes = router();

serverCatalogRoutes.openapi(
  createRoute({
    method: "get",
    path: "/server-catalog",
    summary: "Searches MCP servers that can be added.",
    request: { query },
    responses: {
      200: json("The servers that match.", () =>
        z.object({ items: z.array(catalogServerSchema()), registry: z.enum(["ok", "off", "unavailable"]) }),
      ),
      ...refusals(400, 403),
    },
  }),
  async (c) => {
    const { servers, registry } = await searchServerCatalog(c.get("context"), c.req.valid("query").q);
    return c.json({ items: servers, registry }, 200);
  },
);
