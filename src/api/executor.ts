// Routes for /api/v1/executor: its state, its packages, and the packages that it has installed for skills.

import { createRoute } from "@hono/zod-openapi";
import { router } from "../edge/router";
import { instant, json, refusals } from "../edge/schemas";
import * as z from "../edge/zod";
import { requireAdmin } from "../services/admin";
import { executorHealth } from "../services/tools/executor-health";

const executorSchema = () =>
  z
    .object({
      state: z.enum(["ok", "failed", "absent"]),
      /** Why it cannot run scripts, and what to install or to set. */
      problem: z.string().nullable(),
      name: z.string().nullable(),
      /** Which declared packages it installs. */
      install: z.string().nullable(),
      /** Versions of Python packages by name. */
      packages: z.record(z.string(), z.string()),
      /** The sets of packages that it has installed for skills, the most recently used first. */
      layers: z.array(
        z.object({ id: z.string(), requirements: z.array(z.string()), bytes: z.int(), used_at: z.string() }),
      ),
    })
    .openapi("Executor");

export const executorRoutes = router();

executorRoutes.openapi(
  createRoute({
    method: "get",
    path: "/executor",
    summary: "Returns the state and the packages of the executor.",
    responses: { 200: json("The executor.", executorSchema), ...refusals(403) },
  }),
  async (c) => {
    const context = c.get("context");
    requireAdmin(context.caller.principal, "Only admins can see the executor. Use an admin's key.");
    // Imported on the first request, because few gateways have an executor.
    const { executorOffer } = await import("../services/tools/executor-offer");
    const found = await executorOffer(context);
    const none = { name: null, install: null, packages: {}, layers: [] };
    if (found === null) {
      const { state, issues } = await executorHealth(context.settings);
      return c.json({ state, problem: issues[0]?.message ?? null, ...none }, 200);
    }
    if ("problem" in found) return c.json({ state: "failed" as const, problem: found.problem, ...none }, 200);
    const { name, install, packages, layers } = found.offer;
    const shown = layers.map(({ id, requirements, bytes, used }) => ({
      ...{ id, requirements: [...requirements], bytes: Math.round(bytes) },
      used_at: instant(used),
    }));
    const body = { name, install, packages: Object.fromEntries(packages), layers: shown };
    return c.json({ state: "ok" as const, problem: null, ...body }, 200);
  },
);
