// Logs unexpected errors as one line. Callers receive a request id and no details.

import { rootCause } from "../domain/errors";

/** Logs an unexpected error with its stack. `where`: the part of the gateway in which it occurred. */
export function logUnexpected(error: unknown, where: { route: string } | { where: string }, requestId?: string): void {
  const cause = rootCause(error);
  const text = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  const known = requestId === undefined ? {} : { request_id: requestId };
  console.error(JSON.stringify({ event: "unexpected_error", ...known, ...where, error: text }));
}
