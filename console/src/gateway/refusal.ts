// Represents errors of the gateway for the pages.

import type { Issue } from "../../../sdk/src/generated/operations";
import { t } from "../text/text";

/** `status` is 0 if no response was received. */
export class Refusal extends Error {
  override readonly name = "Refusal";

  constructor(
    readonly status: number,
    /** A stable code such as `SKILL_NOT_FOUND`; `UNREACHABLE` if no response was received. */
    readonly code: string,
    message: string,
    readonly issues: readonly Issue[] = [],
    /** Identifies the request in the gateway's log. */
    readonly requestId: string | null = null,
    /** The other fields of the response, such as the issuer that signs users in. */
    readonly fields: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
  }
}

/** Returns the result of a request, or `otherwise` if the user's key cannot read it. */
export async function ifReadable<T>(asked: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Refusal && error.status === 403) return otherwise;
    throw error;
  }
}

/** Returns the error in a response: RFC 9457, the format of the chat endpoint's vendor, or the response of a proxy in between. */
export async function refusalIn(answer: Response): Promise<Refusal> {
  const told = fieldsOf(await answer.text().catch(() => ""));
  const {
    code = `HTTP_${answer.status}`,
    message = t("The gateway returned status {status}.", { status: answer.status }),
  } = vendorProblem(told);
  return new Refusal(
    answer.status,
    typeof told.code === "string" ? told.code : code,
    typeof told.detail === "string" ? told.detail : message,
    Array.isArray(told.issues) ? told.issues.filter(isIssue) : [],
    answer.headers.get("x-request-id"),
    told,
  );
}

/** Returns the error in the format of the chat endpoint, which also occurs within a stream. */
export function vendorProblem(told: Record<string, unknown>): { code?: string; message?: string } {
  const { code, message } = fieldsIn(told.error);
  return { ...(typeof code === "string" ? { code } : {}), ...(typeof message === "string" ? { message } : {}) };
}

function isIssue(value: unknown): value is Issue {
  const { code, message } = fieldsIn(value);
  return typeof code === "string" && typeof message === "string";
}

/** Parses the fields of a JSON object. Returns an empty object for any other text. */
export function fieldsOf(text: string): Record<string, unknown> {
  try {
    return fieldsIn(JSON.parse(text));
  } catch {
    return {};
  }
}

export function fieldsIn(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
