// Defines the gateway's error: one of a fixed set of codes, which the edges map, and a stable reason for callers.

/** Kinds of refusals. Each edge maps all of them to its own status codes. */
export const ERROR_CODES = [
  "invalid",
  "unprocessable",
  "unauthenticated",
  "forbidden",
  "not_found",
  "conflict",
  "outdated",
  "too_large",
  "rate_limited",
  "unavailable",
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

/** A problem of an input. `code` is stable; `path` names the file or field, `line` its line (from 1). */
export interface Issue {
  code: string;
  message: string;
  path?: string;
  line?: number;
  /** Severity of an inspection finding. */
  severity?: Severity;
}

export const SEVERITIES = ["high", "low", "info"] as const;
export type Severity = (typeof SEVERITIES)[number];

type Fact = null | boolean | number | string | undefined | readonly Fact[] | { readonly [key: string]: Fact } | Issue;

/** Machine-readable facts of an error. They become members of the problem document and must not contain secrets. */
export type ErrorDetails = { readonly [key: string]: Fact };

/** A refusal. Absence is `null`, and a failed tool is a result; only refusals are thrown. */
export class GatewayError extends Error {
  override readonly name = "GatewayError";

  /**
   * @param code kind of refusal, mapped by the edges
   * @param reason stable upper-case name on the wire, for example `SKILL_NOT_FOUND`
   * @param message one sentence for the caller that says what to do
   * @param details facts for the caller
   */
  constructor(
    readonly code: ErrorCode,
    readonly reason: string,
    message: string,
    readonly details: ErrorDetails = {},
  ) {
    super(message);
  }
}

/** An error that lists all problems of an input. */
export function invalid(issues: readonly Issue[], message = "The request is not valid."): GatewayError {
  return new GatewayError("invalid", "INVALID_REQUEST", withReasons(message, issues), { issues });
}

/** Returns a message with the first of its reasons, for clients that only show the message. */
export function withReasons(sentence: string, issues: readonly Issue[]): string {
  if (issues.length === 0) return sentence;
  const reasons = issues.slice(0, TOLD_REASONS).map(({ message, path, line }) => {
    const where = path === undefined || path === "" ? "" : ` (${path}${line === undefined ? "" : `:${line}`})`;
    return `${message.replace(/\.$/, "").slice(0, REASON_CHARS)}${where.slice(0, REASON_CHARS)}`;
  });
  const more = issues.length > TOLD_REASONS ? `; and ${issues.length - TOLD_REASONS} more` : "";
  return `${sentence.replace(/\.$/, "")}: ${reasons.join("; ")}${more}.`;
}

const TOLD_REASONS = 3;
const REASON_CHARS = 300;

/** Returns the gateway's error in an error's chain of causes, because libraries wrap errors; `null` if there is none. */
export function refusalIn(error: unknown): GatewayError | null {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof GatewayError) return cause;
  }
  return null;
}

/** Whether an error is a refusal that depends on the caller's identity. Such a refusal must not be based on old data. */
export function isRefusal(error: unknown): boolean {
  const code = refusalIn(error)?.code;
  return code === "unauthenticated" || code === "forbidden" || code === "not_found";
}

/** Returns the end of the chain of causes. Messages of wrapping errors may contain a query with its parameters. */
export function rootCause(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? rootCause(error.cause) : error;
}

/** HTTP status per kind of refusal. Every HTTP edge uses this table. */
export const HTTP_STATUS = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  outdated: 412,
  too_large: 413,
  unprocessable: 422,
  rate_limited: 429,
  unavailable: 503,
} as const satisfies Record<ErrorCode, number>;
