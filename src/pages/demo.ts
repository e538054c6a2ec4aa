// /demo: what used to be a page of its own is the console's *Try it*. Where there is no console, or nothing to try, there is no demo.

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
