// Returns errors as RFC 9457 problem documents.

import type { Context as HonoContext } from "hono";
import { HTTPException } from "hono/http-exception";
import type * as z from "zod";
import { rateHeaders } from "../domain/access/rate";
import { type ErrorDetails, HTTP_STATUS, type Issue, refusalIn } from "../domain/errors";
import { settingsFrom } from "../domain/settings/settings";
import { challenge, noSignIn } from "./challenge";
import type { HttpEnv } from "./edge";
import { logUnexpected } from "./unexpected";

const TITLE: Record<number, string> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  412: "Precondition Failed",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  416: "Range Not Satisfiable",
  422: "Unprocessable Content",
  426: "Upgrade Required",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
};

/** Returns a response in the error format of docs/api/errors.md. Details can add members but not replace standard ones. */
export function problem(
  c: HonoContext<HttpEnv>,
  status: number,
  code: string,
  detail: string,
  facts: ErrorDetails = {},
  headers: Record<string, string> = {},
): Response {
  c.set("problem", code);
  const body = {
    ...facts,
    type: `urn:skill-gateway:problem:${code}`,
    title: TITLE[status] ?? "Error",
    status,
    detail,
    code,
    request_id: c.get("requestId"),
  };
  return new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/problem+json", "cache-control": "no-store", ...headers },
  });
}

/** Returns the error for an unknown path. */
export function pathNotFound(c: HonoContext<HttpEnv>): Response {
  const noSignInAnswer = noSignIn(c.req.path, settingsFrom(c.env));
  if (noSignInAnswer !== null) return problem(c, 404, "NO_SIGN_IN", noSignInAnswer.error_description, noSignInAnswer);
  return problem(c, 404, "NOT_FOUND", "Path not found. `/openapi.json` lists all paths.");
}

/** Returns the response for any error. Unexpected errors are a 500 without details and one log line. */
export function answerError(error: unknown, c: HonoContext<HttpEnv>): Response {
  const refusal = refusalIn(error);
  if (refusal !== null) {
    const headers = rateHeaders(refusal);
    if (refusal.code === "unauthenticated") {
      // Hosts first send requests without a credential to discover the sign-in, or with an expired token. These do not count as guesses.
      const wasGood = refusal.reason === "TOKEN_ENDED" || refusal.reason === "TOKEN_ELSEWHERE";
      c.set("unauthenticated", c.req.header("authorization") !== undefined && !wasGood);
      headers["www-authenticate"] = challenge(c);
    }
    return problem(c, HTTP_STATUS[refusal.code], refusal.reason, refusal.message, refusal.details, headers);
  }
  if (error instanceof HTTPException && error.status === 400) {
    const issues: Issue[] = [
      {
        code: "INVALID_BODY",
        message: "The body does not match its content type. Fix the body or the `Content-Type` header.",
      },
    ];
    return problem(c, 400, "INVALID_REQUEST", "The request body cannot be parsed. Check that it is well-formed.", {
      issues,
    });
  }
  if (error instanceof HTTPException && error.status === 413) {
    return problem(c, 413, "BODY_TOO_LARGE", error.message || "Request body too large. Send less data.");
  }
  logUnexpected(error, { route: `${c.req.method} ${c.req.routePath}` }, c.get("requestId"));
  return problem(c, 500, "INTERNAL", "Internal error. Report the request id to the operator of the gateway.");
}

/** The issues of a failed zod parse, in the shape of docs/api/errors.md. */
export function issuesOf(error: z.core.$ZodError, where?: string): Issue[] {
  return error.issues.flatMap((issue): Issue[] => {
    const path = [...(where === undefined ? [] : [where]), ...issue.path.map(String)].join(".");
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => ({
        code: "UNKNOWN_FIELD",
        message: `Unknown field '${key}'. Remove it.`,
        path: path === "" ? key : `${path}.${key}`,
      }));
    }
    return [{ code: "INVALID_FIELD", message: issue.message, ...(path === "" ? {} : { path }) }];
  });
}
