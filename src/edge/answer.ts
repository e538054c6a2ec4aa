// What every response contains, whatever its edge: request id, timings, limits, security headers; and the log line.

import type { Context as HonoContext } from "hono";
import { createMiddleware } from "hono/factory";
import { edgeAt } from "../domain/metrics/families";
import type { HttpEnv } from "./edge";
import { counterIn } from "./metrics/counter";
import { nameLimits } from "./rate";
import { logRequest } from "./request-log";

const REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

const POLICY = "default-src 'none'; frame-ancestors 'none'";
const YEAR = 31_536_000;

/** Adds the headers of every Worker response. `public/_headers` contains the same for static files. */
function securityHeaders(headers: Headers, url: string): void {
  headers.set("x-content-type-options", "nosniff");
  headers.set("referrer-policy", "no-referrer");
  if (!headers.has("content-security-policy")) headers.set("content-security-policy", POLICY);
  if (!headers.has("cross-origin-resource-policy")) headers.set("cross-origin-resource-policy", "same-origin");
  if (url.startsWith("https:")) headers.set("strict-transport-security", `max-age=${YEAR}`);
}

/** Counts a response, and the reason if it is an error. */
function countAnswer(c: HonoContext<HttpEnv>): void {
  const count = counterIn(c.env, (work) => c.executionCtx.waitUntil(work));
  count("requests", [edgeAt(c.req.path), `${Math.floor(c.res.status / 100)}xx`]);
  const code = c.get("problem");
  if (code !== undefined) count("refusals", [code]);
}

/** Assigns the request id, adds headers, and logs the response. A caller's `X-Request-Id` is used if it is a plain word. */
export const answerHeaders = createMiddleware<HttpEnv>(async (c, next) => {
  const given = c.req.header("x-request-id");
  c.set("requestId", given !== undefined && REQUEST_ID.test(given) ? given : crypto.randomUUID());
  const started = Date.now();
  await next();
  const total = Date.now() - started;
  await logRequest(c, total);
  countAnswer(c);
  // The object itself answered the upgrade, so its headers cannot be changed.
  if (c.res.status === 101) return;
  // Set on the response directly, because `c.header` would copy the response each time.
  const { headers } = c.res;
  headers.set("x-request-id", c.get("requestId"));
  headers.append("server-timing", `total;dur=${total}`);
  nameLimits(headers, c.get("limits") ?? []);
  securityHeaders(headers, c.req.url);
});
