// The MCP edge: the gateway as a server at /mcp, and the gateway's own servers at /mcp/servers.

import type { Context as HonoContext } from "hono";
import { createMiddleware } from "hono/factory";
import { CONVERSATION_ID } from "../domain/conversation/settings";
import { invalid } from "../domain/errors";
import { TOOL_LISTS } from "../domain/tools/listing";
import { conversation, listenTo } from "../edge/conversation";
import { crossOriginMcp, isOwnOrigin } from "../edge/cors";
import type { Edge, HttpEnv } from "../edge/edge";
import { answerError, issuesOf, problem } from "../edge/errors";
import { router } from "../edge/router";
import * as z from "../edge/zod";
import { serve } from "./server";

const clientQuery = z.strictObject({
  ghost: z.string().min(1).max(200).optional(),
  preload: z
    .string()
    .max(4_000)
    .transform((names) => names.split(",").filter((name) => name !== ""))
    .default([]),
  tool_mode: z.enum(["dynamic", "fixed"]).default("fixed"),
  tools: z.enum(TOOL_LISTS).optional(),
});

const routes = router();

routes.all("/mcp", (c) => {
  const { ghost, preload } = readQuery(c.req.query());
  return serve(c.get("context"), c.req.raw, { ghost, preload, conversation: null });
});

routes.all("/mcp/:id", (c) => {
  const id = c.req.param("id");
  if (!CONVERSATION_ID.test(id))
    throw invalid([
      {
        code: "INVALID_FIELD",
        message: "The conversation id is not valid. Use 1 to 128 of A-Za-z0-9._:-.",
        path: "id",
      },
    ]);
  const { ghost, preload, tool_mode, tools } = readQuery(c.req.query());
  const settings = {
    ...(ghost === undefined ? {} : { ghost }),
    tool_mode,
    ...(tools === undefined ? {} : { tool_list: tools }),
  };
  const { api, target } = conversation(c, id);
  const listen = () => listenTo(c.env, target);
  const client = { settings, preload };
  return serve(c.get("context"), c.req.raw, { ghost, preload, conversation: { api, target, client, listen } });
});

/** Loaded with the first request for a server. */
let proxying: typeof import("./proxy") | null = null;

async function proxied(c: HonoContext<HttpEnv>, name: string, isMessage: boolean): Promise<Response> {
  proxying ??= await import("./proxy");
  return proxying.proxy(c.get("context"), c.req.raw, { name, isMessage });
}

routes.all("/mcp/servers/:name", (c) => proxied(c, c.req.param("name"), false));

routes.all("/mcp/servers/:name/message", (c) => proxied(c, c.req.param("name"), true));

/** Prevents DNS rebinding, where a page of another site reaches a gateway on this machine through its own host name. */
const ownOrigin = createMiddleware<HttpEnv>(async (c, next) => {
  const origin = c.req.header("origin");
  if (origin === undefined || isOwnOrigin(c.env, c.req.url, origin)) return next();
  return problem(c, 403, "ORIGIN_NOT_ALLOWED", "Origin not allowed. The operator can add it to `ALLOWED_ORIGINS`.");
});

/** Refusals before a message is read are problem documents; those of a message are JSON-RPC (`refusal.ts`). */
export const mcp: Edge = { prefix: "/mcp", cors: [ownOrigin, crossOriginMcp], routes, errors: answerError };

function readQuery(query: Record<string, string>): z.infer<typeof clientQuery> {
  const parsed = clientQuery.safeParse(query);
  if (parsed.success) return parsed.data;
  throw invalid(issuesOf(parsed.error, "query"));
}
