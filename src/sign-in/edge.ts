// The sign-in edge: MCP hosts get their user's consent and their tokens. OAuth 2.1 below /oauth.

import type { MiddlewareHandler } from "hono";
import { crossOriginOpen } from "../edge/cors";
import type { Edge, HttpEnv } from "../edge/edge";
import { pathNotFound } from "../edge/errors";
import { router } from "../edge/router";
import { authorizeRoutes } from "./authorize";
import { connectRoutes } from "./connect";
import { callbackRoutes } from "./external-issuer";
import { linkRoutes } from "./links";
import { pageRoutes } from "./pages";
import { signInErrors } from "./refusal";
import { registerRoutes } from "./register";
import { tokenRoutes } from "./token";

const OF_PROGRAMS = /^\/oauth\/(?:register|token|revoke)\/?$/;

/** The routes for programs ignore cookies, so any page may call them. Other origins cannot read the pages for people. */
const allowAnyOrigin: MiddlewareHandler<HttpEnv> = (c, next) =>
  OF_PROGRAMS.test(c.req.path) ? crossOriginOpen(c, next) : next();

/** These routes take no gateway key. Each identifies its caller in its own way. */
const open = router();
open.route("/", registerRoutes);
open.route("/", authorizeRoutes);
open.route("/", pageRoutes);
open.route("/", linkRoutes);
open.route("/", callbackRoutes);
open.route("/", connectRoutes);
open.route("/", tokenRoutes);
open.all("/oauth/*", pathNotFound);

export const signIn: Edge = { prefix: "/oauth", cors: [allowAnyOrigin], open, routes: router(), errors: signInErrors };
