// The one way the gateway refuses: a closed code for the edges to map, a stable reason for callers to match on.

/** What kind of refusal it is. Each edge maps these, exhaustively, to its own statuses. */
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

/** One thing that is wrong with an input. `code` is stable; `path` names the file or field, `line` the line in it (1-based). */
export interface Issue {
  code: string;
  message: string;
  path?: string;
  line?: number;
  /** How much it matters to who trusts a package, for findings of the inspection. */
  severity?: Severity;
}

export const SEVERITIES = ["high", "low", "info"] as const;
export type Severity = (typeof SEVERITIES)[number];

type Fact = null | boolean | number | string | undefined | readonly Fact[] | { readonly [key: string]: Fact } | Issue;

/** Facts a caller may read beside the message, as JSON. They become members of the problem document: nothing secret in them. */
export type ErrorDetails = { readonly [key: string]: Fact };

/** A refusal: you may not, cannot or must not. Absence is `null`, and a failed tool is a result; only this is thrown. */
export class GatewayError extends Error {
  override readonly name = "GatewayError";

  /**
   * @param code what kind of refusal, for the edges
   * @param reason stable upper-case name on the wire, e.g. `SKILL_NOT_FOUND`
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

/** A refusal that lists every problem of an input at once. */
export function invalid(issues: readonly Issue[], message = "The request is not valid."): GatewayError {
  return new GatewayError("invalid", "INVALID_REQUEST", withReasons(message, issues), { issues });
}

/** A sentence with the first of its reasons, for those who are shown no more of a refusal than its message. */
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

/** The refusal in an error's chain of causes, since libraries wrap what passes through them; `null` when there is none. */
export function refusalIn(error: unknown): GatewayError | null {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof GatewayError) return cause;
  }
  return null;
}

/** Whether an error says no: not you, not this, not here. Such a word may not be said of what may be old. */
export function isRefusal(error: unknown): boolean {
  const code = refusalIn(error)?.code;
  return code === "unauthenticated" || code === "forbidden" || code === "not_found";
}

/** What really happened: the end of the chain. A wrapper's message may quote a query with all that was bound to it. */
export function rootCause(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? rootCause(error.cause) : error;
}

/** What the gateway's refusals are in HTTP. Every edge that speaks HTTP takes them from this table. */
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
