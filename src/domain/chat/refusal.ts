// Defines errors of the chat endpoint, in the format of the vendor's protocol.

import { HTTP_STATUS, refusalIn } from "../errors";
import type { JsonObject } from "../json";

/** An error that the chat endpoint returns to its caller. */
export class ChatRefusal extends Error {
  readonly status: number;
  /** A stable code, such as `model_not_found`. */
  readonly code: string;
  readonly param: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Details with which an SDK can recover. */
  readonly details: JsonObject | null;
  /** The vendor's own error body, redacted. If present, it is returned unchanged. */
  readonly body: JsonObject | null;

  constructor(
    status: number,
    code: string,
    message: string,
    more: {
      param?: string;
      headers?: Record<string, string>;
      body?: JsonObject;
      details?: JsonObject | undefined;
    } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.param = more.param ?? null;
    this.headers = more.headers ?? {};
    this.details = more.details ?? null;
    this.body = more.body ?? null;
  }
}

/** Converts an error into a `ChatRefusal`, or returns `null` if it is unexpected. */
export function chatRefusalOf(error: unknown): ChatRefusal | null {
  if (error instanceof ChatRefusal) return error;
  const refusal = refusalIn(error);
  if (refusal === null) return null;
  const { code, reason, message, details } = refusal;
  const wait = details.retry_after_s;
  const headers: Record<string, string> = typeof wait === "number" ? { "retry-after": String(wait) } : {};
  // SDKs retry after 409, which never resolves a conflict.
  const status = code === "conflict" ? HTTP_STATUS.invalid : HTTP_STATUS[code];
  return new ChatRefusal(status, reason.toLowerCase(), message, { headers });
}

const OPENAI_TYPES: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  429: "rate_limit_error",
};
const ANTHROPIC_TYPES: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
};
const typeIn = (types: Readonly<Record<number, string>>, status: number, other: string) =>
  types[status] ?? (status < 500 ? "invalid_request_error" : other);

/** Formats an error like OpenAI. */
export function openaiError({ body, status, message, param, code }: ChatRefusal): JsonObject {
  return body ?? { error: { message, type: typeIn(OPENAI_TYPES, status, "server_error"), param, code } };
}

/** Formats an error like Anthropic. */
export function anthropicError({ body, status, message, details }: ChatRefusal, requestId: string): JsonObject {
  const type = typeIn(ANTHROPIC_TYPES, status, "api_error");
  const error = { type, message, ...(details === null ? {} : { details }) };
  return body ?? { type: "error", error, request_id: requestId };
}
