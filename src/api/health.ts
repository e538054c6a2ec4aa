// GET /health: whether the gateway and what it stands on can serve. Open to everybody, so it says nothing else.

import { createRoute } from "@hono/zod-openapi";
import { version } from "../../package.json";
import { DURATIONS } from "../domain/durations";
import { areRatesLimited } from "../edge/rate";
import { router } from "../edge/router";
import { described, only } from "../edge/schemas";
import * as z from "../edge/zod";
import { guarded } from "../storage/d1/database";

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
    const { at, d1, r2 } = await storageState(c.env);
    const loader = c.env.LOADER === undefined ? ("absent" as const) : ("ok" as const);
    const rates = areRatesLimited(c.env) ? ("ok" as const) : ("absent" as const);
    const ok = d1 === "ok" && r2 === "ok";
    const checks = { d1, r2, loader, rates };
    const checked_at = new Date(at).toISOString();
    const status = ok ? ("ok" as const) : ("failed" as const);
    return c.json({ status, version, checked_at, checks }, ok ? 200 : 503, { "cache-control": "no-store" });
  },
);

interface StorageState {
  at: number;
  d1: "ok" | "failed";
  r2: "ok" | "failed";
}

/** What was found last, by the bindings it was found on, and from when on somebody should look again. */
const last = new WeakMap<Env, { found: StorageState; due: number }>();

/**
 * How D1 and R2 are. Anybody may ask, so one request of an isolate looks for all that come within `DURATIONS.health`; while it
 * looks, the others are told what was found before, but never anything older than that and one look may take.
 */
async function storageState(env: Env): Promise<StorageState> {
  const now = Date.now();
  const known = last.get(env);
  if (known !== undefined) {
    if (now < known.due) return known.found;
    // No promise is shared: one that hangs on the I/O of another request never settles when that is cancelled.
    known.due = Math.min(now, known.found.at + DURATIONS.health) + DURATIONS.storage;
  }
  const [d1, r2] = await Promise.all([
    works(() => env.DB.prepare("SELECT 1 FROM counters LIMIT 1").first()),
    works(() => env.PACKAGES.head("health")),
  ]);
  const found = { at: Date.now(), d1, r2 };
  last.set(env, { found, due: found.at + DURATIONS.health });
  return found;
}

async function works(check: () => Promise<unknown>): Promise<"ok" | "failed"> {
  try {
    await guarded({ storage: 0 }, check);
    return "ok";
  } catch {
    return "failed";
  }
}
