// GET /health: whether the gateway and its storage work (readiness). GET /health/live: whether it responds at all. Both are public, so they
// contain nothing else.

import { createRoute } from "@hono/zod-openapi";
import { version } from "../../package.json";
import { settingsFrom } from "../domain/settings/settings";
import { areRatesLimited } from "../edge/rate";
import { router } from "../edge/router";
import { described, issueSchema, only } from "../edge/schemas";
import * as z from "../edge/zod";
import { storageHealth } from "../services/health";
import { executorHealth } from "../services/tools/executor-health";
import { lastServed } from "../storage/d1/database";

const state = () => z.enum(["ok", "failed", "absent"]);
const healthSchema = () =>
  z
    .object({
      /** `degraded`: the gateway works, except for what `issues` lists. With `ok`, `issues` lists what an optional part needs. */
      status: z.enum(["ok", "degraded", "failed"]),
      version: z.string(),
      /** Time of the last check of storage. */
      checked_at: z.iso.datetime(),
      checks: z.object({
        d1: state(),
        r2: state(),
        loader: state(),
        rates: state(),
        search: state(),
        executor: state(),
      }),
      /** The D1 instance that last answered this isolate, if reported. */
      database: z
        .object({ served_by_region: z.string().nullable(), served_by_primary: z.boolean().nullable() })
        .optional(),
      issues: z.array(issueSchema()).optional(),
    })
    .openapi("Health");

const liveSchema = () => z.object({ status: z.literal("ok"), version: z.string() }).openapi("Liveness");

const content = { "application/json": described(healthSchema) };

const NO_INDEX = {
  code: "SEARCH_INDEX_MISSING",
  message:
    "The search index is missing. Search returns nothing; publishing and loading still work. Run `npm run reindex`.",
};

export const healthRoute = router();

healthRoute.openapi(
  createRoute({
    method: "get",
    path: "/health",
    summary: "Returns the health of the gateway.",
    security: [],
    responses: {
      200: { description: "The gateway works.", content },
      ...only(429),
      503: { description: "Storage does not respond.", content },
    },
  }),
  async (c) => {
    const [{ at, d1, r2, search }, executor] = await Promise.all([
      storageHealth(c.env.DB, c.env.PACKAGES),
      executorHealth(settingsFrom(c.env)),
    ]);
    const loader = c.env.LOADER === undefined ? ("absent" as const) : ("ok" as const);
    const rates = areRatesLimited(c.env) ? ("ok" as const) : ("absent" as const);
    const serves = d1 === "ok" && r2 === "ok";
    const issues = [...(serves && search === "absent" ? [NO_INDEX] : []), ...(serves ? executor.issues : [])];
    const isDegraded = search === "absent" || executor.state === "failed";
    const status = serves ? (isDegraded ? ("degraded" as const) : ("ok" as const)) : ("failed" as const);
    const checks = { d1, r2, loader, rates, search, executor: executor.state };
    const checked_at = new Date(at).toISOString();
    const served = lastServed();
    const database = { served_by_region: served?.region ?? null, served_by_primary: served?.primary ?? null };
    const shownDatabase = served === null ? {} : { database };
    const body = { status, version, checked_at, checks, ...shownDatabase, ...(issues.length === 0 ? {} : { issues }) };
    return c.json(body, serves ? 200 : 503, { "cache-control": "no-store" });
  },
);

healthRoute.openapi(
  createRoute({
    method: "get",
    path: "/health/live",
    summary: "Returns that the gateway responds, without a look at its storage.",
    security: [],
    responses: {
      200: { description: "The gateway responds.", content: { "application/json": described(liveSchema) } },
      ...only(429),
    },
  }),
  (c) => c.json({ status: "ok" as const, version }, 200, { "cache-control": "no-store" }),
);
