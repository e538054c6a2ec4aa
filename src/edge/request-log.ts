// Writes one log line per request for the operator: route, key, subject and result. Contains no personal data.

import type { Context as HonoContext } from "hono";
import { matchedRoutes } from "hono/route";
import { settingsFrom } from "../domain/settings/settings";
import { type LogSubject, logIdOf } from "../services/secrets/log-id";
import type { HttpEnv } from "./edge";

/** Monitors request these paths every few seconds, so they are not logged. */
const UNLOGGED: readonly string[] = ["/health", "/health/live"];

/** The routes of one skill. */
const SKILL_ROUTE = "/api/v1/kinds/skills/:id";
const SKILL_SEGMENT = SKILL_ROUTE.split("/").indexOf(":id");

/**
 * Writes the line of a finished request: the route's pattern instead of the path, because ids may be personal; the key's id instead of the
 * user's; and pseudonyms of conversation and skill (`logIdOf`).
 */
export async function logRequest(c: HonoContext<HttpEnv>, totalMs: number): Promise<void> {
  const route = patternOf(c);
  if (UNLOGGED.includes(route) || !isWanted(c.env)) return;
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

/** Adds the subject's pseudonym to the response, so that its log lines can be found. */
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
    // A gateway with invalid settings returns this to everybody, and it should be logged.
    return true;
  }
}

/** The pattern of the matched route, or `none`. */
function patternOf(c: HonoContext<HttpEnv>): string {
  const patterns = matchedRoutes(c).map((route) => route.path);
  return patterns.filter((path) => !path.endsWith("*")).at(-1) ?? "none";
}
