// What the gateway's refusals are in HTTP. Every edge that speaks HTTP takes them from this table.

import type { ErrorCode } from "./errors";

/** The status of each kind of refusal. */
export const HTTP_STATUS = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  unprocessable: 422,
  rate_limited: 429,
  unavailable: 503,
} as const satisfies Record<ErrorCode, number>;
