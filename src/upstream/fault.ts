// What goes wrong between us and a server, in words that may be shown: nothing of the URL, of headers or of bodies is in them.

export type FaultKind =
  | "refused"
  | "unreachable"
  | "timeout"
  | "cancelled"
  | "closed"
  | "too_large"
  | "status"
  | "protocol"
  | "answer"
  | "open";

/** A server failed. The message completes `… failed: `. */
export class UpstreamFault extends Error {
  override readonly name = "UpstreamFault";

  /**
   * @param kind `refused` by our host policy, `status` when HTTP said so, `answer` when the server answered with an error of its
   *   own, `protocol` when it did not keep to MCP, `open` when its breaker is open; the others as they are called
   * @param status the HTTP status
   * @param retryAfter seconds that the server asks to wait
   */
  constructor(
    readonly kind: FaultKind,
    message: string,
    readonly status: number | null = null,
    readonly retryAfter: number | null = null,
  ) {
    super(message);
  }
}

/** The fault in an error's chain of causes; `null` when there is none. */
export function faultIn(error: unknown): UpstreamFault | null {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof UpstreamFault) return cause;
  }
  return null;
}

/** A status in words, with what can be done about it. */
export function statusFault(status: number, retryAfter: number | null): UpstreamFault {
  const hint =
    status === 401 || status === 403
      ? ", its credentials are missing or wrong"
      : retryAfter === null
        ? ""
        : `, retry after ${retryAfter}s`;
  return new UpstreamFault("status", `the server returned HTTP ${status}${hint}`, status, retryAfter);
}
