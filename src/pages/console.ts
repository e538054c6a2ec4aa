// /console: the static files of the console, unless the operator has disabled it. A path without a file extension is a page of the console,
// which the client routes itself. `run_worker_first` in wrangler.toml sends these requests to the Worker. Paths below /console/api are a
// separate edge.

import type { Handler } from "hono";
import { settingsFrom } from "../domain/settings/settings";
import type { HttpEnv } from "../edge/edge";
import { pathNotFound } from "../edge/errors";
import { router } from "../edge/router";

const INDEX = "/console/";

const serve: Handler<HttpEnv> = async (c) => {
  if (settingsFrom(c.env).CONSOLE === "off") return pathNotFound(c);
  const url = new URL(c.req.url);
  if (!/\.[a-z0-9]+$/i.test(c.req.path)) url.pathname = INDEX;
  const file = await c.env.ASSETS.fetch(new Request(url, c.req.raw));
  // Its headers are those of `public/_headers`. The copy's headers can be changed.
  return file.status === 404 ? pathNotFound(c) : new Response(file.body, file);
};

export const consoleRoute = router();
consoleRoute.get("/console", serve);
consoleRoute.get("/console/:path{.*}", serve);

/** Whether the console can be opened: it is enabled and its files exist. A local gateway may still be building them. */
export async function hasConsole(env: Env, url: string): Promise<boolean> {
  if (settingsFrom(env).CONSOLE === "off") return false;
  return (await env.ASSETS.fetch(new URL(INDEX, url), { method: "HEAD" })).ok;
}

/** /demo redirects to the console's playground. It does not exist if the console or the demo is off. */
const lead: Handler<HttpEnv> = async (c) => {
  if (settingsFrom(c.env).DEMO === "off" || !(await hasConsole(c.env, c.req.url))) return pathNotFound(c);
  return c.body(null, 302, { location: "/console/try", "cache-control": "no-cache" });
};

export const demoRoute = router();
demoRoute.get("/demo", lead);
