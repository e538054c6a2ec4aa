// The doors that speak MCP, behind this one's origins and keys. What they answer is their own; `index.ts` brings them.

import type { Context } from "../services/context";
import { authenticate } from "./auth";
import { crossOriginMcp, isOwnOrigin } from "./cors";
import { problem } from "./errors";
import { router } from "./router";

export interface McpDoors {
  /** One of the gateway's own servers, as it is. */
  proxy(context: Context, request: Request, place: { name: string; isMessage: boolean }): Promise<Response>;
}

/** The paths below /mcp. */
export function mcpRoutes(doors: McpDoors) {
  const routes = router();
  // A page of another site must not reach a gateway on this machine by giving it a name of its own (DNS rebinding).
  routes.use("/mcp/*", (c, next) => {
    const origin = c.req.header("origin");
    if (origin === undefined || isOwnOrigin(c.env, c.req.url, origin)) return next();
    return Promise.resolve(problem(c, 403, "ORIGIN_NOT_ALLOWED", "Pages of this origin may not call the gateway."));
  });
  routes.use("/mcp/*", crossOriginMcp);
  routes.use("/mcp/*", authenticate);
  routes.all("/mcp/servers/:name", (c) =>
    doors.proxy(c.get("context"), c.req.raw, { name: c.req.param("name"), isMessage: false }),
  );
  routes.all("/mcp/servers/:name/message", (c) =>
    doors.proxy(c.get("context"), c.req.raw, { name: c.req.param("name"), isMessage: true }),
  );
  return routes;
}
