// /demo: the static files of the demo, unless the operator has turned it off. `run_worker_first` of wrangler.toml sends them here.

import type { Handler } from "hono";
import { settingsFrom } from "../domain/settings/settings";
import type { HttpEnv } from "../edge/env";
import { nothingHere } from "../edge/errors";
import { router } from "../edge/router";

const serve: Handler<HttpEnv> = async (c) => {
  if (settingsFrom(c.env).DEMO === "off") return nothingHere(c);
  const file = await c.env.ASSETS.fetch(c.req.raw);
  // Its headers are those of `public/_headers`. The copy's may be added to.
  return file.status === 404 ? nothingHere(c) : new Response(file.body, file);
};

export const demoRoute = router();
demoRoute.all("/demo", serve);
demoRoute.all("/demo/:path{.*}", serve);
