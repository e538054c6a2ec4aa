// Defines `SkillGatewayError`, for rejected requests and for outages.

/** One problem in a request or a package. */
export interface Problem {
  code: string;
  message: string;
  path?: string;
  line?: number;
}

/**
 * Thrown if the gateway rejects a request or cannot be reached. Without a response `status` is 0 and `code` is `TIMEOUT`, `UNREACHABLE` or
 * `STREAM_ENDED`.
 */
export class SkillGatewayError extends Error {
  override readonly name = "SkillGatewayError";
  readonly status: number;
  /** Stable code, such as `CONVERSATION_NOT_FOUND`. */
  readonly code: string;
  readonly issues: readonly Problem[];
  /** Id of the request in the gateway's log. */
  readonly requestId: string | null;

  constructor(
    facts: { status: number; code: string; message: string; issues?: readonly Problem[]; requestId?: string | null },
    options?: ErrorOptions,
  ) {
    super(facts.message, options);
    this.status = facts.status;
    this.code = facts.code;
    this.issues = facts.issues ?? [];
    this.requestId = facts.requestId ?? null;
  }

  /** Whether the gateway is unavailable, as opposed to rejecting the request. `failOpen` applies only to these errors. */
  get isOutage(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

/** Creates the error from an error response: RFC 9457, or any body from a proxy in between. */
export async function refusalOf(answer: Response): Promise<SkillGatewayError> {
  const text = await answer.text().catch(() => "");
  const problemFields = parse(text);
  const detail = typeof problemFields.detail === "string" ? problemFields.detail : text.slice(0, 200);
  return new SkillGatewayError({
    status: answer.status,
    code: typeof problemFields.code === "string" ? problemFields.code : `HTTP_${answer.status}`,
    message: `The gateway answered ${answer.status}${detail === "" ? "" : `: ${detail}`}`,
    issues: Array.isArray(problemFields.issues) ? (problemFields.issues as Problem[]) : [],
    requestId: answer.headers.get("x-request-id"),
  });
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
