// One line a request, for the operator: what was asked of which route, by which key, and how it went. Nothing personal.

import type { Context as HonoContext } from "hono";
import { matchedRoutes } from "hono/route";
import { settingsFrom } from "../domain/settings";
import type { HttpEnv } from "./env";

/** Monitors ask this every few seconds. The log leaves it out. */
const UNLOGGED = "/health";

/**
 * Writes the line of an answered request: the route's pattern and never the path, since ids may say something of people; the
 * key's id and never the user's.
 */
export function logRequest(c: HonoContext<HttpEnv>, totalMs: number): void {
  const route = patternOf(c);
  if (route === UNLOGGED || !isWanted(c.env)) return;
  const context = c.get("context");
  console.log(
    JSON.stringify({
      event: "request",
      request_id: c.get("requestId"),
      method: c.req.method,
      route,
      status: c.res.status,
      code: c.get("problem"),
      key_id: context?.caller.principal.keyId,
      total_ms: totalMs,
      storage_ms: context?.timings.storage,
    }),
  );
}

function isWanted(env: Env): boolean {
  try {
    return settingsFrom(env).LOG_REQUESTS;
  } catch {
    // A gateway with bad settings answers that to everybody; the log should have it.
    return true;
  }
}

/** The pattern of the route that answered, or `none`. */
function patternOf(c: HonoContext<HttpEnv>): string {
  const patterns = matchedRoutes(c).map((route) => route.path);
  return patterns.filter((path) => !path.endsWith("*")).at(-1) ?? "none";
}
