// Defines errors between the gateway and a server. Their messages can be shown: they contain nothing from URLs, headers or bodies.

import { SIGN_IN_NEEDED } from "../domain/servers/sign-in";

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
  | "sign_in"
  | "open";

/** A failure of a server. The message completes `… failed: `. */
export class UpstreamFault extends Error {
  override readonly name = "UpstreamFault";

  /**
   * @param kind `refused`: rejected by the host policy. `status`: an HTTP error status. `answer`: an error returned by the server.
   * `protocol`: a violation of MCP. `open`: the circuit breaker is open. `sign_in`: the user must sign in to the server. The other kinds are named after their cause.
   * @param status the HTTP status
   * @param retryAfter seconds that the server asks to wait
   * @param scope the scopes that the server requires in addition, separated by spaces
   */
  constructor(
    readonly kind: FaultKind,
    message: string,
    readonly status: number | null = null,
    readonly retryAfter: number | null = null,
    readonly scope: string | null = null,
  ) {
    super(message);
  }
}

/** Returns the fault in an error's chain of causes, or `null`. */
export function faultIn(error: unknown): UpstreamFault | null {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof UpstreamFault) return cause;
  }
  return null;
}

/** Returns the fault of a server that requires the user's sign-in. */
export function signInFault(scope: string | null = null): UpstreamFault {
  return new UpstreamFault("sign_in", SIGN_IN_NEEDED, 401, null, scope);
}

/** Returns the fault for an HTTP status, with a message that suggests a remedy. */
export function statusFault(status: number, retryAfter: number | null): UpstreamFault {
  const hint =
    status === 401 || status === 403
      ? ", its credentials are missing or wrong"
      : retryAfter === null
        ? ""
        : `, retry after ${retryAfter}s`;
  return new UpstreamFault("status", `the server returned HTTP ${status}${hint}`, status, retryAfter);
}
