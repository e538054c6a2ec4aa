// Which sign-in routes a web page of any origin may call: those for programs. The pages for people cannot be read by other origins.

import type { MiddlewareHandler } from "hono";
import { crossOriginOpen } from "../edge/cors";
import type { HttpEnv } from "../edge/env";

const OF_PROGRAMS = /^\/oauth\/(?:register|token|revoke)\/?$/;

/** These routes ignore cookies, so any page may call them. */
export const allowAnyOrigin: MiddlewareHandler<HttpEnv> = (c, next) =>
  OF_PROGRAMS.test(c.req.path) ? crossOriginOpen(c, next) : next();
