// GET /health: whether the gateway and what it stands on can serve. Open to everybody, so it says nothing else.

import { createRoute } from "@hono/zod-openapi";
import { version } from "../../package.json";
import { areRatesLimited } from "../edge/rate";
import { router } from "../edge/router";
import { described, only } from "../edge/schemas";
import * as z from "../edge/zod";
import { storageHealth } from "../services/health";

const state = () => z.enum(["ok", "failed", "absent"]);
const healthSchema = () =>
  z
    .object({
      status: z.enum(["ok", "failed"]),
      version: z.string(),
      /** When storage was last looked at. */
      checked_at: z.iso.datetime(),
      checks: z.object({ d1: state(), r2: state(), loader: state(), rates: state() }),
    })
    .openapi("Health");

const content = { "application/json": described(healthSchema) };

export const healthRoute = router();

healthRoute.openapi(
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
    const { at, d1, r2 } = await storageHealth(c.env.DB, c.env.PACKAGES);
    const loader = c.env.LOADER === undefined ? ("absent" as const) : ("ok" as const);
    const rates = areRatesLimited(c.env) ? ("ok" as const) : ("absent" as const);
    const ok = d1 === "ok" && r2 === "ok";
    const checks = { d1, r2, loader, rates };
    const checked_at = new Date(at).toISOString();
    const status = ok ? ("ok" as const) : ("failed" as const);
    return c.json({ status, version, checked_at, checks }, ok ? 200 : 503, { "cache-control": "no-store" });
  },
);
