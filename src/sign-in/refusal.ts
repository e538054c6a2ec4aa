// Errors of the sign-in edge: a page for people, OAuth's JSON for programs.

import type { Context as HonoContext } from "hono";
import { rateHeaders } from "../domain/access/rate";
import { HTTP_STATUS, refusalIn } from "../domain/errors";
import type { HttpEnv } from "../edge/edge";
import { logUnexpected } from "../edge/unexpected";
import { pageHeaders } from "./html";
import { problemPage } from "./page-texts";

/** Routes that clients call, not browsers. */
const OF_PROGRAMS = /^\/oauth\/(?:register|token|revoke)\/?$/;

const OAUTH_ERROR: Partial<Record<number, string>> = { 429: "temporarily_unavailable", 503: "temporarily_unavailable" };

/** Converts an exception to an answer. An unexpected one becomes a 500 without details and one line in the log. */
export async function signInErrors(error: unknown, c: HonoContext<HttpEnv>): Promise<Response> {
  const refusal = refusalIn(error);
  if (refusal === null) logUnexpected(error, { route: `${c.req.method} ${c.req.routePath}` }, c.get("requestId"));
  const status = refusal === null ? 500 : HTTP_STATUS[refusal.code];
  c.set("problem", refusal?.reason ?? "INTERNAL");
  const message = refusal?.message ?? "Internal error. Try again in a moment.";
  const headers = refusal === null ? {} : rateHeaders(refusal);
  if (!OF_PROGRAMS.test(c.req.path))
    return new Response(problemPage(message), { status, headers: { ...(await pageHeaders()), ...headers } });
  return oauthError(
    status,
    OAUTH_ERROR[status] ?? (status < 500 ? "invalid_request" : "server_error"),
    message,
    headers,
  );
}

/** A page that states the error. */
export async function refuseWithPage(c: HonoContext<HttpEnv>, problem: string, status = 400): Promise<Response> {
  c.set("problem", "SIGN_IN_REFUSED");
  return new Response(problemPage(problem), { status, headers: await pageHeaders() });
}

/** An error in OAuth's format (RFC 6749, 5.2). */
export function oauthError(
  status: number,
  error: string,
  error_description: string,
  headers: Record<string, string> = {},
): Response {
  return new Response(JSON.stringify({ error, error_description: oauthDescription(error_description) }), {
    status,
    headers: { "content-type": "application/json", "cache-control": "no-store", ...headers },
  });
}

/** Removes the characters that OAuth does not allow in an `error_description`. */
export function oauthDescription(text: string): string {
  return text.replace(/"/g, "'").replace(/[^\x20-\x5B\x5D-\x7E]/g, "?");
}
