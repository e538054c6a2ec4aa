// Which routes of signing in a page of the web may call: what programs call. What people see is for nobody to read.

import type { MiddlewareHandler } from "hono";
import { crossOriginOpen } from "../edge/cors";
import type { HttpEnv } from "../edge/env";

const OF_PROGRAMS = /^\/oauth\/(?:register|token|revoke)\/?$/;

/** No cookie counts at these routes, so any page may call them. */
export const allowAnyOrigin: MiddlewareHandler<HttpEnv> = (c, next) =>
  OF_PROGRAMS.test(c.req.path) ? crossOriginOpen(c, next) : next();
