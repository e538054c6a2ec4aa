// Errors that are bugs: one line in the log for the operator. Callers get a request id and no detail.

import { rootCause } from "../domain/errors";

/** Logs an unexpected error with its stack. `where` says which part of the gateway it happened in. */
export function logUnexpected(error: unknown, where: { route: string } | { where: string }, requestId?: string): void {
  const cause = rootCause(error);
  const text = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  const known = requestId === undefined ? {} : { request_id: requestId };
  console.error(JSON.stringify({ event: "unexpected_error", ...known, ...where, error: text }));
}
