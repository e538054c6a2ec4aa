// The composition: what every answer carries, the open paths, and the table of edges.

import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import { discoveryRoute } from "./api/discovery";
import { api } from "./api/edge";
import { healthRoute } from "./api/health";
import { openApi } from "./api/openapi";
import { anthropicEdge, openaiEdge } from "./chat/edges";
import { answerHeaders } from "./edge/answer";
import { answerInDoubt, authenticate } from "./edge/auth";
import { SIGN_IN_PATHS } from "./edge/challenge";
import { crossOriginOpen } from "./edge/cors";
import type { Edge } from "./edge/edge";
import type { HttpEnv } from "./edge/env";
import { answerError, nothingHere } from "./edge/errors";
import { addressRate, principalRate } from "./edge/rate";
import { router } from "./edge/router";
import { hearOut } from "./edge/unread";
import { mcp } from "./mcp/routes";
import { demoRoute } from "./pages/demo";
import { frontRoute } from "./pages/front";

/** Every protocol that the gateway speaks. A new one is a folder and a row here, and a line in `domain/access/key-scope.ts`. */
const EDGES: readonly Edge[] = [mcp, api, openaiEdge, anthropicEdge];

/** The whole HTTP surface of the gateway. */
export function createApp(): OpenAPIHono<HttpEnv> {
  const app = router();
  app.use(hearOut, answerHeaders, addressRate);
  app.onError(async (error, c) => {
    const told = edgeOf(c)?.errors ?? answerError;
    try {
      return (await answerInDoubt(error, c)) ?? told(error, c);
    } catch (second) {
      return told(second, c);
    }
  });
  app.notFound(nothingHere);

  for (const path of SIGN_IN_PATHS) app.use(path, crossOriginOpen);
  for (const { prefix, cors } of EDGES) app.use(`${prefix}/*`, ...cors);

  app.route("/", frontRoute);
  app.route("/", demoRoute);
  app.route("/", healthRoute);
  app.route("/", discoveryRoute);
  app.get("/openapi.json", openApi(app));

  for (const { prefix, open, routes } of EDGES) {
    if (open !== undefined) app.route("/", open);
    app.use(`${prefix}/*`, authenticate, principalRate);
    app.route("/", routes);
  }
  return app;
}

/** The edge that a request belongs to. */
function edgeOf(c: HonoContext<HttpEnv>): Edge | undefined {
  const { path } = c.req;
  return EDGES.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`));
}
