// The HTTP/JSON edge: every resource below /api, and the rules that apply to all of them.

import { createMiddleware } from "hono/factory";
import { limitBody, limitJsonDepth } from "../edge/body";
import { crossOrigin } from "../edge/cors";
import type { Edge } from "../edge/edge";
import type { HttpEnv } from "../edge/env";
import { answerError, pathNotFound, problem } from "../edge/errors";
import { router } from "../edge/router";
import { grantRoutes } from "./access/grants";
import { groupRoutes } from "./access/groups";
import { keyRoutes } from "./access/keys";
import { meRoutes } from "./access/me";
import { oauthClientRoutes } from "./access/oauth-clients";
import { sessionRoutes } from "./access/sessions";
import { signInRoutes } from "./access/sign-ins";
import { auditRoutes } from "./audit";
import { connectionRoutes } from "./connections";
import { conversationRoutes, taskRoutes } from "./conversation/conversations";
import { storedFileRoutes } from "./conversation/files";
import { stepRoutes } from "./conversation/steps";
import { importRoutes } from "./imports";
import { sharedLinkRoutes } from "./links";
import { mcpServerRoutes } from "./mcp-servers";
import { modelRoutes } from "./models";
import { openSkillRoutes } from "./open-skills";
import { questionRoutes } from "./questions/requests";
import { socketRoute } from "./questions/socket";
import { ghostRoutes } from "./registry/ghosts";
import { searchIndexRoute } from "./registry/search-index";
import { skillRoutes } from "./registry/skills";
import { type RouteTable, routeTable } from "./routes";
import { secretRoutes } from "./secrets";
import { userServerRoutes } from "./user-servers";
import { userRoutes } from "./users";

const routes = router();
/** A page with a ticket has no key: the socket's route looks at both itself. */
const open = router();
open.route("/api/v1", socketRoute);

let table: RouteTable | undefined;

/** Answers 404, 405 and 415 from the table of routes, before a body is read. Every request is looked up in it: a scan by segments. */
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

routes.use("/api/*", knownRoute, limitBody, limitJsonDepth);
routes.route("/api/v1", keyRoutes);
routes.route("/api/v1", grantRoutes);
routes.route("/api/v1", meRoutes);
routes.route("/api/v1", signInRoutes);
routes.route("/api/v1/oauth-clients", oauthClientRoutes);
routes.route("/api/v1", sessionRoutes);
routes.route("/api/v1", auditRoutes);
routes.route("/api/v1", userRoutes);
routes.route("/api/v1", searchIndexRoute);
routes.route("/api/v1/groups", groupRoutes);
routes.route("/api/v1/secrets", secretRoutes);
routes.route("/api/v1/models", modelRoutes);
routes.route("/api/v1/mcp-servers", mcpServerRoutes);
routes.route("/api/v1", connectionRoutes);
routes.route("/api/v1", userServerRoutes);
routes.route("/api/v1/links", sharedLinkRoutes);
routes.route("/api/v1/imports", importRoutes);
routes.route("/api/v1/open-skills", openSkillRoutes);
routes.route("/api/v1", conversationRoutes);
routes.route("/api/v1", stepRoutes);
routes.route("/api/v1", storedFileRoutes);
routes.route("/api/v1", questionRoutes);
routes.route("/api", taskRoutes);
routes.route("/api/v1/kinds/skills", skillRoutes);
routes.route("/api/v1/kinds/ghosts", ghostRoutes);

export const api: Edge = { prefix: "/api", cors: [crossOrigin], open, routes, errors: answerError };
