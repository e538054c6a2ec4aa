// The HTTP door: request ids, limits, authentication, the resources, and what answers when nothing matches.

import type { OpenAPIHono } from "@hono/zod-openapi";
import { bodyLimit } from "hono/body-limit";
import { HTTPException } from "hono/http-exception";
import { audit } from "./api/audit";
import { conversations, tasks } from "./api/conversations";
import { discovery } from "./api/discovery";
import { ghosts } from "./api/ghosts";
import { groups } from "./api/groups";
import { health } from "./api/health";
import { keys } from "./api/keys";
import { mcpServers } from "./api/mcp-servers";
import { openApi } from "./api/openapi";
import { requests } from "./api/requests";
import { type RouteTable, routeTable } from "./api/routes";
import { secrets } from "./api/secrets";
import { skills } from "./api/skills";
import { socket } from "./api/socket";
import { steps } from "./api/steps";
import { users } from "./api/users";
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

  app.route("/", health);
  app.route("/", discovery);
  app.get("/openapi.json", openApi(app));

  app.route("/", mcpRoutes(doors));

  // A page with a ticket has no key: this door looks at both itself.
  app.route("/api/v1", socket);
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

  app.route("/api/v1", keys);
  app.route("/api/v1", audit);
  app.route("/api/v1", users);
  app.route("/api/v1/groups", groups);
  app.route("/api/v1/secrets", secrets);
  app.route("/api/v1/mcp-servers", mcpServers);
  app.route("/api/v1", conversations);
  app.route("/api/v1", steps);
  app.route("/api/v1", requests);
  app.route("/api", tasks);
  app.route("/api/v1/kinds/skills", skills);
  app.route("/api/v1/kinds/ghosts", ghosts);
  return app;
}
