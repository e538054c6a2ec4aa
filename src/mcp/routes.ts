// The doors that speak MCP, behind this one's origins and keys. What they answer is their own; `index.ts` brings them.

import { CONVERSATION_ID } from "../domain/conversation/settings";
import { type Issue, invalid } from "../domain/errors";
import { authenticate } from "../edge/auth";
import { conversation } from "../edge/conversation";
import { crossOriginMcp, isOwnOrigin } from "../edge/cors";
import { problem } from "../edge/errors";
import { principalRate } from "../edge/rate";
import { router } from "../edge/router";
import * as z from "../edge/zod";
import type { Context } from "../services/context";
import type { ClientSetup, ConversationApi, Target } from "../services/conversation/api";

/** Whom an MCP host talks to: the catalog, narrowed by a ghost, or one conversation. */
export interface HostPlace {
  ghost: string | undefined;
  conversation: { api: ConversationApi; ask: Target; host: ClientSetup } | null;
}

export interface McpDoors {
  /** The gateway's own MCP server. */
  serve(context: Context, request: Request, place: HostPlace): Promise<Response>;
  /** One of the gateway's own servers, as it is. */
  proxy(context: Context, request: Request, place: { name: string; isMessage: boolean }): Promise<Response>;
}

const hostQuery = z.strictObject({
  ghost: z.string().min(1).max(200).optional(),
  preload: z
    .string()
    .max(4_000)
    .transform((names) => names.split(",").filter((name) => name !== ""))
    .default([]),
  tool_mode: z.enum(["dynamic", "fixed"]).default("fixed"),
});

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
  routes.use("/mcp/*", authenticate, principalRate);
  routes.all("/mcp", (c) => {
    const { ghost } = readQuery(c.req.query());
    return doors.serve(c.get("context"), c.req.raw, { ghost, conversation: null });
  });
  routes.all("/mcp/:id", (c) => {
    const id = c.req.param("id");
    if (!CONVERSATION_ID.test(id))
      throw invalid([{ code: "INVALID_FIELD", message: "Use 1-128 of A-Za-z0-9._:-.", path: "id" }]);
    const { ghost, preload, tool_mode } = readQuery(c.req.query());
    const settings = { ...(ghost === undefined ? {} : { ghost }), tool_mode };
    return doors.serve(c.get("context"), c.req.raw, {
      ghost,
      conversation: { ...conversation(c, id), host: { settings, preload } },
    });
  });
  routes.all("/mcp/servers/:name", (c) =>
    doors.proxy(c.get("context"), c.req.raw, { name: c.req.param("name"), isMessage: false }),
  );
  routes.all("/mcp/servers/:name/message", (c) =>
    doors.proxy(c.get("context"), c.req.raw, { name: c.req.param("name"), isMessage: true }),
  );
  return routes;
}

function readQuery(query: Record<string, string>): z.infer<typeof hostQuery> {
  const parsed = hostQuery.safeParse(query);
  if (parsed.success) return parsed.data;
  throw invalid(
    parsed.error.issues.map(
      (issue): Issue => ({ code: "INVALID_FIELD", message: issue.message, path: `query.${issue.path.join(".")}` }),
    ),
  );
}
