// One line a request, for the operator: what was asked of which route, by which key, about what, and how it went. Nothing personal.

import type { Context as HonoContext } from "hono";
import { matchedRoutes } from "hono/route";
import { settingsFrom } from "../domain/settings/settings";
import { type LogSubject, logIdOf } from "../services/secrets/log-id";
import type { HttpEnv } from "./env";

/** Monitors ask this every few seconds. The log leaves it out. */
const UNLOGGED = "/health";

/** The routes of one skill. */
const SKILL_ROUTE = "/api/v1/kinds/skills/:id";
const SKILL_SEGMENT = SKILL_ROUTE.split("/").indexOf(":id");

/**
 * Writes the line of an answered request: the route's pattern and never the path, since ids may say something of people; the
 * key's id and never the user's; of a conversation and a skill the names that `logIdOf` gives them.
 */
export async function logRequest(c: HonoContext<HttpEnv>, totalMs: number): Promise<void> {
  const route = patternOf(c);
  if (route === UNLOGGED || !isWanted(c.env)) return;
  const context = c.get("context");
  const about = c.get("conversation");
  const skill =
    context !== undefined && `${route}/`.startsWith(`${SKILL_ROUTE}/`)
      ? c.req.path.split("/")[SKILL_SEGMENT]
      : undefined;
  console.log(
    JSON.stringify({
      event: "request",
      request_id: c.get("requestId"),
      method: c.req.method,
      route,
      status: c.res.status,
      code: c.get("problem"),
      key_id: context?.caller.principal.keyId,
      conversation: about && (await logIdIn(c, about)),
      skill: skill && (await logIdIn(c, { skill })),
      total_ms: totalMs,
      storage_ms: context?.timings.storage,
    }),
  );
}

/** Has the answer say how the log names what it is about: who has a slow conversation at hand finds its lines so. */
export async function addLogIdHeader(c: HonoContext<HttpEnv>, subject: LogSubject): Promise<void> {
  const id = await logIdIn(c, subject);
  if (id !== undefined) c.header("x-log-id", id);
}

async function logIdIn(c: HonoContext<HttpEnv>, subject: LogSubject): Promise<string | undefined> {
  return (await logIdOf(settingsFrom(c.env), subject)) ?? undefined;
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
