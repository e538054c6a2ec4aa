// The HTTP door: request ids, limits, authentication, the resources, and what answers when nothing matches.

import type { OpenAPIHono } from "@hono/zod-openapi";
import { bodyLimit } from "hono/body-limit";
import { HTTPException } from "hono/http-exception";
import { auditRoutes } from "./api/audit";
import { conversationRoutes, taskRoutes } from "./api/conversations";
import { discoveryRoute } from "./api/discovery";
import { ghostRoutes } from "./api/ghosts";
import { groupRoutes } from "./api/groups";
import { healthRoute } from "./api/health";
import { keyRoutes } from "./api/keys";
import { mcpServerRoutes } from "./api/mcp-servers";
import { openApi } from "./api/openapi";
import { questionRoutes } from "./api/requests";
import { type RouteTable, routeTable } from "./api/routes";
import { secretRoutes } from "./api/secrets";
import { skillRoutes } from "./api/skills";
import { socketRoute } from "./api/socket";
import { stepRoutes } from "./api/steps";
import { userRoutes } from "./api/users";
import { REQUEST_LIMITS } from "./domain/limits";
import { authenticate } from "./edge/auth";
import { shallow } from "./edge/body";
import { crossOrigin } from "./edge/cors";
import type { HttpEnv } from "./edge/env";
import { answerError, problem } from "./edge/errors";
import { secure } from "./edge/headers";
import { addressRate, nameLimits, principalRate } from "./edge/rate";
import { logRequest } from "./edge/request-log";
import { router } from "./edge/router";
import { type McpDoors, mcpRoutes } from "./mcp/routes";

const REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** The whole HTTP surface of the gateway. */
export function createApp(doors: McpDoors): OpenAPIHono<HttpEnv> {
  const app = router();
  let table: RouteTable | undefined;
  const routes = () => {
    table ??= routeTable(app);
    return table;
  };

  app.use(async (c, next) => {
    const given = c.req.header("x-request-id");
    c.set("requestId", given !== undefined && REQUEST_ID.test(given) ? given : crypto.randomUUID());
    const started = Date.now();
    await next();
    const total = Date.now() - started;
    logRequest(c, total);
    // An upgrade is the object's own answer, and cannot be marked.
    if (c.res.status === 101) return;
    // On the answer itself: `c.header` would copy the whole response every time.
    const { headers } = c.res;
    headers.set("x-request-id", c.get("requestId"));
    headers.append("server-timing", `total;dur=${total}`);
    nameLimits(headers, c.get("limits") ?? []);
    secure(headers, c.req.url);
  });
  app.use(addressRate);
  app.use("/api/*", crossOrigin);
  app.onError(answerError);
  app.notFound((c) => problem(c, 404, "NOT_FOUND", "There is nothing at this path. /openapi.json lists every route."));

  app.route("/", healthRoute);
  app.route("/", discoveryRoute);
  app.get("/openapi.json", openApi(app));

  app.route("/", mcpRoutes(doors));

  // A page with a ticket has no key: this door looks at both itself.
  app.route("/api/v1", socketRoute);
  app.use("/api/*", authenticate, principalRate);
  app.use("/api/*", async (c, next) => {
    const match = routes().find(c.req.path);
    if (match === null)
      return problem(c, 404, "NOT_FOUND", "There is nothing at this path. /openapi.json lists every route.");
    const route = match.get(c.req.method === "HEAD" ? "GET" : c.req.method);
    if (route === undefined) {
      const allow = [...match.keys()].sort().join(", ");
      return problem(c, 405, "METHOD_NOT_ALLOWED", `This path answers ${allow}.`, {}, { allow });
    }
    const sent = (c.req.header("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
    const empty = c.req.raw.body === null;
    if (route.bodyTypes.length > 0 && !(empty && !route.bodyRequired) && !route.bodyTypes.includes(sent)) {
      const wanted = route.bodyTypes.join(" or ");
      return problem(c, 415, "UNSUPPORTED_MEDIA_TYPE", `Send the body as ${wanted}.`, { accepts: route.bodyTypes });
    }
    return next();
  });
  app.use("/api/*", (c, next) => {
    const upload = (c.req.header("content-type") ?? "").startsWith("multipart/");
    return bodyLimit({
      maxSize: upload ? REQUEST_LIMITS.uploadBytes : REQUEST_LIMITS.jsonBytes,
      onError: () => {
        throw new HTTPException(413);
      },
    })(c, next);
  });

  app.use("/api/*", shallow);

  app.route("/api/v1", keyRoutes);
  app.route("/api/v1", auditRoutes);
  app.route("/api/v1", userRoutes);
  app.route("/api/v1/groups", groupRoutes);
  app.route("/api/v1/secrets", secretRoutes);
  app.route("/api/v1/mcp-servers", mcpServerRoutes);
  app.route("/api/v1", conversationRoutes);
  app.route("/api/v1", stepRoutes);
  app.route("/api/v1", questionRoutes);
  app.route("/api", taskRoutes);
  app.route("/api/v1/kinds/skills", skillRoutes);
  app.route("/api/v1/kinds/ghosts", ghostRoutes);
  return app;
}
