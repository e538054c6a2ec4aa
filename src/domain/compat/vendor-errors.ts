// Error responses of the vendors' Skills APIs, each in its vendor's format.

import { type ErrorDetails, HTTP_STATUS, refusalIn } from "../errors";

/** A refusal as both vendors tell it. */
export interface VendorRefusal {
  status: number;
  /** A stable word of lower case. */
  code: string;
  message: string;
  details: ErrorDetails;
  headers: Readonly<Record<string, string>>;
}

/** What was thrown as a refusal; `null` where it is a bug. */
export function vendorRefusalOf(error: unknown): VendorRefusal | null {
  const refusal = refusalIn(error);
  if (refusal === null) return null;
  const { code, reason, message, details } = refusal;
  // Vendors have no status of their own for a package that is none.
  const status = HTTP_STATUS[code === "unprocessable" ? "invalid" : code];
  const wait = details.retry_after_s;
  const headers: Record<string, string> = typeof wait === "number" ? { "retry-after": String(wait) } : {};
  // Their SDKs ask again after a conflict, and none goes away by that.
  if (status === HTTP_STATUS.conflict) headers["x-should-retry"] = "false";
  return { status, code: reason.toLowerCase(), message, details, headers };
}

const ANTHROPIC: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  409: "conflict_error",
  413: "request_too_large",
  429: "rate_limit_error",
};
const OPENAI: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  429: "rate_limit_error",
};

const typeAt = (types: Readonly<Record<number, string>>, status: number, other: string) =>
  types[status] ?? (status < 500 ? "invalid_request_error" : other);

/** Anthropic's envelope; what is wrong with a package stands in its details, all of it. */
export function anthropicRefusal({ status, code, message, details }: VendorRefusal, requestId: string): object {
  const fields = { ...details, error_code: code };
  const error = { type: typeAt(ANTHROPIC, status, "api_error"), message, details: fields };
  return { type: "error", error, request_id: requestId };
}

/** OpenAI's envelope. */
export function openaiRefusal({ status, code, message, details }: VendorRefusal): object {
  const { issues } = details;
  const error = { message, type: typeAt(OPENAI, status, "server_error"), param: null, code };
  return { error: issues === undefined ? error : { ...error, issues } };
}
