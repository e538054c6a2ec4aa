// Schemas of requests and responses that several routes share.

import { createMiddleware } from "hono/factory";
import { GROUP_NAME, isNameable, RESERVED_GROUPS, USER_ID } from "../domain/access/access";
import { CONVERSATION_ID } from "../domain/conversation/settings";
import { GatewayError, SEVERITIES } from "../domain/errors";
import { REQUEST_LIMITS } from "../domain/limits";
import type { HttpEnv } from "./edge";
import * as z from "./zod";

export const userId = z.string().regex(USER_ID, { error: "1-128 of A-Za-z0-9._:@+=-", abort: true });

/** A conversation's id, chosen by its user. */
export const conversationId = z.string().regex(CONVERSATION_ID, "1-128 of A-Za-z0-9._:-");

/** A user that the caller names as owner or member. */
export const nameableUser = userId.refine(isNameable, "this id is reserved for the gateway");

/** A group's name: a namespace other than `default` and `public`. */
export const groupName = z
  .string()
  .regex(GROUP_NAME, "use 1-64 of A-Za-z0-9._-, starting with a letter or digit")
  .refine((name) => !RESERVED_GROUPS.has(name.toLowerCase()), "this name is reserved");

/** An integer in a path or query with documented bounds. */
export function integerParameter(minimum: number, maximum: number) {
  const read = z.coerce.number().pipe(z.int().min(minimum).max(maximum));
  return read.openapi({ type: "integer", minimum, maximum });
}

/** `limit` and `cursor` of every list. */
export const pageQuery = z.object({
  limit: integerParameter(1, REQUEST_LIMITS.listLimit).optional(),
  cursor: z.string().max(1_000).optional(),
});

/** `after` and `limit` of a list whose items are numbered in the order in which they were stored. */
export function pageAfter(most: number) {
  return z.object({
    after: integerParameter(0, Number.MAX_SAFE_INTEGER).optional(),
    limit: integerParameter(1, most).optional(),
  });
}

/** A required JSON body. Its schema is created with the first request. */
export function jsonBody<T extends z.ZodType>(schema: () => T) {
  return { required: true, content: { "application/json": { schema: z.lazy(schema) } } } as const;
}

/** An optional JSON body. */
export function optionalJsonBody<T extends z.ZodType>(schema: () => T) {
  return { required: false, content: { "application/json": { schema: z.lazy(schema) } } } as const;
}

/** A problem of an upload, a setting or a field. */
export const issueSchema = () =>
  z
    .object({
      code: z.string(),
      message: z.string(),
      path: z.string().optional(),
      line: z.int().optional(),
      severity: z.enum(SEVERITIES).optional(),
    })
    .openapi("Issue");

/** An error, as `problem` of errors.ts writes it. */
export const problemSchema = () =>
  z
    .looseObject({
      type: z.string(),
      title: z.string(),
      status: z.int(),
      detail: z.string(),
      code: z.string(),
      request_id: z.string(),
      issues: z.array(issueSchema()).optional(),
    })
    .openapi("Problem");

/**
 * The content of a response. Only the OpenAPI document uses its schema: as a function, it is created when the document is built, and not at
 * the Worker's start.
 */
export function described<T extends z.ZodType>(schema: T | (() => T)) {
  return {
    get schema(): T {
      return typeof schema === "function" ? schema() : schema;
    },
  } as const;
}

/** A JSON answer. */
export function json<T extends z.ZodType>(description: string, schema: T | (() => T)) {
  return { description, content: { "application/json": described(schema) } } as const;
}

export const noContent = { description: "Done." } as const;

const REFUSALS = {
  400: "The request is not valid. `issues` lists all problems.",
  401: "The key or token is missing or not valid.",
  403: "The caller does not have the right.",
  404: "Not found, or not visible to the caller.",
  409: "Conflict with existing data, or a limit is reached.",
  412: "The object was changed after the caller read it.",
  413: "The request is too large.",
  415: "The content type is not supported.",
  416: "The range is outside the file.",
  422: "The package is not valid. `issues` lists all problems.",
  429: "Too many requests. Try again after `Retry-After`.",
  503: "Storage does not respond. Try again after `Retry-After`.",
} as const;

type Refusal = keyof typeof REFUSALS;

/** Returns the responses of a route with these error statuses. Statuses that every route can return are included. */
export function refusals(...statuses: Refusal[]) {
  const content = { "application/problem+json": described(problemSchema) };
  return { ...only(...statuses, 401, 429, 503), default: { description: "Refused.", content } };
}

/** Responses of a public route: only these statuses. */
export function only(...statuses: Refusal[]) {
  const content = { "application/problem+json": described(problemSchema) };
  return Object.fromEntries(statuses.map((status) => [status, { description: REFUSALS[status], content }]));
}

/** Milliseconds since the epoch as RFC 3339. */
export function instant(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** Rejects Idempotency-Key, because a response with a secret is never stored and cannot be repeated. */
export const refuseIdempotencyKey = createMiddleware<HttpEnv>(async (c, next) => {
  if (c.req.header("idempotency-key") !== undefined) {
    throw new GatewayError(
      "invalid",
      "INVALID_REQUEST",
      "The response contains a secret, so it cannot be repeated. Remove the `Idempotency-Key` header.",
      {
        issues: [
          {
            code: "IDEMPOTENCY_NOT_SUPPORTED",
            message: "`Idempotency-Key` is not allowed here. Remove the header.",
            path: "Idempotency-Key",
          },
        ],
      },
    );
  }
  await next();
});
