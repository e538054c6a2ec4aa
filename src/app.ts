// The composition: what every answer contains, the public paths, and the middleware before an edge.

import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import { answerHeaders } from "./edge/answer";
import { authenticate, retryOnPrimary } from "./edge/auth";
import { SIGN_IN_PATHS } from "./edge/challenge";
import { crossOriginOpen } from "./edge/cors";
import { drainBody } from "./edge/drain-body";
import type { Edge, HttpEnv, OpenRoutes } from "./edge/edge";
import { answerError, pathNotFound } from "./edge/errors";
import { addressRate, principalRate } from "./edge/rate";
import { router } from "./edge/router";

/** Creates the HTTP application with these edges. */
export function createApp(edges: readonly Edge[], open: OpenRoutes = { first: [], last: [] }): OpenAPIHono<HttpEnv> {
  const app = router();
  app.use(drainBody, answerHeaders, addressRate);
  app.onError(async (error, c) => {
    const answerEdgeError = edgeOf(c, edges)?.errors ?? answerError;
    try {
      return (await retryOnPrimary(error, c)) ?? answerEdgeError(error, c);
    } catch (second) {
      return answerEdgeError(second, c);
    }
  });
  app.notFound(pathNotFound);

  for (const path of SIGN_IN_PATHS) app.use(path, crossOriginOpen);
  for (const edge of edges) {
    // An edge below another one has its own rules for origins only.
    for (const check of edge.cors)
      app.use(`${edge.prefix}/*`, (c, next) => (edgeOf(c, edges) === edge ? check(c, next) : next()));
  }

  for (const routes of open.first) app.route("/", routes);
  for (const { prefix, open: withoutKey, routes } of edges) {
    if (withoutKey !== undefined) app.route("/", withoutKey);
    app.use(`${prefix}/*`, authenticate, principalRate);
    app.route("/", routes);
  }
  for (const routes of open.last) app.route("/", routes);
  return app;
}

/** Returns the edge that handles a request. */
function edgeOf(c: HonoContext<HttpEnv>, edges: readonly Edge[]): Edge | undefined {
  const { path } = c.req;
  return edges.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`));
}
