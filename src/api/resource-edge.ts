// The rules of every resource below /api: unknown paths, methods and content types, the size and depth of bodies.

import type { OpenAPIHono } from "@hono/zod-openapi";
import { createMiddleware } from "hono/factory";
import { limitBody, limitJsonDepth } from "../edge/body";
import { crossOrigin } from "../edge/cors";
import type { Edge, HttpEnv } from "../edge/edge";
import { answerError, pathNotFound, problem } from "../edge/errors";
import { router } from "../edge/router";
import { type RouteTable, routeTable } from "./routes";

type Router = OpenAPIHono<HttpEnv>;

/**
 * Returns an edge of the API with these routers, each mounted at its path.
 *
 * @param open routes that check keys or tickets themselves
 */
export function apiEdge(
  prefix: Edge["prefix"],
  mounted: readonly (readonly [string, Router])[],
  open = router(),
): Edge {
  const routes = router();
  let table: RouteTable | undefined;

  /** Returns 404, 405 and 415 from the table of routes, before a body is read. The table is searched segment by segment. */
  const knownRoute = createMiddleware<HttpEnv>(async (c, next) => {
    table ??= routeTable([open, routes]);
    const match = table.find(c.req.path);
    if (match === null) return pathNotFound(c);
    const route = match.get(c.req.method === "HEAD" ? "GET" : c.req.method);
    if (route === undefined) {
      const allow = [...match.keys()].sort().join(", ");
      return problem(c, 405, "METHOD_NOT_ALLOWED", `Method not allowed. Use ${allow}.`, {}, { allow });
    }
    const sent = (c.req.header("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
    // For a POST without a body, the network sends a length of zero, and the runtime creates a body.
    const empty = c.req.raw.body === null || c.req.header("content-length") === "0";
    if (route.bodyTypes.length > 0 && !(empty && !route.bodyRequired) && !route.bodyTypes.includes(sent)) {
      const wanted = route.bodyTypes.join(" or ");
      return problem(c, 415, "UNSUPPORTED_MEDIA_TYPE", `Content type not supported. Send the body as ${wanted}.`, {
        accepts: route.bodyTypes,
      });
    }
    return next();
  });

  routes.use(`${prefix}/*`, knownRoute, limitBody, limitJsonDepth);
  for (const [path, mount] of mounted) routes.route(path, mount);
  return { prefix, cors: [crossOrigin], open, routes, errors: answerError };
}
