// Error responses of the vendors' Skills APIs, each in its vendor's format.

import { type ErrorDetails, HTTP_STATUS, refusalIn } from "../errors";

/** An error in the common form of both vendors. */
export interface VendorRefusal {
  status: number;
  /** A stable name in lower case. */
  code: string;
  message: string;
  details: ErrorDetails;
  headers: Readonly<Record<string, string>>;
}

/** Returns the error to report; `null` for an unexpected exception. */
export function vendorRefusalOf(error: unknown): VendorRefusal | null {
  const refusal = refusalIn(error);
  if (refusal === null) return null;
  const { code, reason, message, details } = refusal;
  // Vendors have no separate status for an invalid package.
  const status = HTTP_STATUS[code === "unprocessable" ? "invalid" : code];
  const wait = details.retry_after_s;
  const headers: Record<string, string> = typeof wait === "number" ? { "retry-after": String(wait) } : {};
  // Their SDKs repeat a request after a conflict, which never helps here.
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

/** Anthropic's error format. `details` lists all problems of a package. */
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
