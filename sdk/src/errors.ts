// What can go wrong, in one class: the gateway refused, or nobody answered.

/** One thing that is wrong with a request or a package. */
export interface Problem {
  code: string;
  message: string;
  path?: string;
  line?: number;
}

/** `status` is 0 where there was no answer: `code` is then `TIMEOUT`, `UNREACHABLE` or `STREAM_ENDED`. */
export class SkillGatewayError extends Error {
  override readonly name = "SkillGatewayError";
  readonly status: number;
  /** Stable, such as `CONVERSATION_NOT_FOUND`. */
  readonly code: string;
  readonly issues: readonly Problem[];
  /** By which an operator finds the request in the log. */
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

  /** Whether the gateway cannot answer now, rather than refuses: what fail-open is for. */
  get isOutage(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

/** The refusal in an answer: RFC 9457, or what a proxy in between has said. */
export async function refusalOf(answer: Response): Promise<SkillGatewayError> {
  const text = await answer.text().catch(() => "");
  const told = parse(text);
  const detail = typeof told.detail === "string" ? told.detail : text.slice(0, 200);
  return new SkillGatewayError({
    status: answer.status,
    code: typeof told.code === "string" ? told.code : `HTTP_${answer.status}`,
    message: `The gateway answered ${answer.status}${detail === "" ? "" : `: ${detail}`}`,
    issues: Array.isArray(told.issues) ? (told.issues as Problem[]) : [],
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
