// /demo: redirects to *Try it* in the console, which replaced it. Without a console, or with `DEMO=off`, it returns 404.

import type { Handler } from "hono";
import { settingsFrom } from "../domain/settings/settings";
import type { HttpEnv } from "../edge/env";
import { pathNotFound } from "../edge/errors";
import { router } from "../edge/router";
import { hasConsole } from "./console";

const lead: Handler<HttpEnv> = async (c) => {
  if (settingsFrom(c.env).DEMO === "off" || !(await hasConsole(c.env, c.req.url))) return pathNotFound(c);
  return c.body(null, 302, { location: "/console/try", "cache-control": "no-cache" });
};

export const demoRoute = router();
demoRoute.get("/demo", lead);
