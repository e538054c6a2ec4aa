// GET /health: whether the gateway and what it stands on can serve. Open to everybody, so it says nothing else.

import { createRoute } from "@hono/zod-openapi";
import { version } from "../../package.json";
import { guarded } from "../storage/database";
import { areRatesLimited } from "./rate";
import { router } from "./router";
import { described, only } from "./schemas";
import * as z from "./zod";

const state = () => z.enum(["ok", "failed", "absent"]);
const healthSchema = () =>
  z
    .object({
      status: z.enum(["ok", "failed"]),
      version: z.string(),
      checks: z.object({ d1: state(), r2: state(), loader: state(), rates: state() }),
    })
    .openapi("Health");

const content = { "application/json": described(healthSchema) };

export const health = router();

health.openapi(
  createRoute({
    method: "get",
    path: "/health",
    summary: "Whether the gateway can serve",
    security: [],
    responses: {
      200: { description: "It can.", content },
      ...only(429),
      503: { description: "Something it stands on does not answer.", content },
    },
  }),
  async (c) => {
    const [d1, r2] = await Promise.all([
      works(() => c.env.DB.prepare("SELECT 1 FROM counters LIMIT 1").first()),
      works(() => c.env.PACKAGES.head("health")),
    ]);
    const loader = c.env.LOADER === undefined ? ("absent" as const) : ("ok" as const);
    const rates = areRatesLimited(c.env) ? ("ok" as const) : ("absent" as const);
    const ok = d1 === "ok" && r2 === "ok";
    return c.json(
      { status: ok ? ("ok" as const) : ("failed" as const), version, checks: { d1, r2, loader, rates } },
      ok ? 200 : 503,
    );
  },
);

async function works(check: () => Promise<unknown>): Promise<"ok" | "failed"> {
  try {
    await guarded({ storage: 0 }, check);
    return "ok";
  } catch {
    return "failed";
  }
}
