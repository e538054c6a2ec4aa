// Converts exceptions of the client library into faults.

import { UPSTREAM_LIMITS } from "../domain/limits";
import type { Redactor } from "../domain/servers/redactor";
import { faultIn, statusFault, UpstreamFault } from "./fault";
import type { Sdk } from "./sdk";
import type { WatchedTransport } from "./transport";

/** Returns the fault for an error of the client library or of the gateway. */
export function faultOf(sdk: Sdk, error: unknown, line: WatchedTransport): UpstreamFault {
  const shown = (message: string) => shortened(message, line.redactor);
  const known = faultIn(error);
  if (known !== null) return known;
  const status = statusIn(sdk, error);
  if (status !== null) return statusFault(status, line.retryAfter);
  if (error instanceof sdk.ProtocolError)
    return new UpstreamFault("answer", shown(error.message) || `error ${error.code}`);
  // The error that a transport was closed only hides its cause.
  const ended = line.fault;
  if (ended !== null && ended.kind !== "cancelled") return ended;
  if (error instanceof sdk.SdkError) return protocolFault(sdk, error, shown);
  if (error instanceof sdk.UnauthorizedError) return statusFault(401, null);
  if (error instanceof SyntaxError) return new UpstreamFault("protocol", "the server's answer is not valid JSON");
  if (error instanceof Error && error.message.includes("origin does not match"))
    return new UpstreamFault("refused", "the server names an endpoint of another origin, which is not allowed");
  if (error instanceof Error && error.name.includes("ZodError"))
    return new UpstreamFault("protocol", "the server's answer is not a JSON-RPC message");
  return new UpstreamFault(
    "protocol",
    shown(error instanceof Error ? error.message : "") || "it violated the protocol",
  );
}

/** Returns the HTTP status behind an error, or `null` if it has another cause. */
function statusIn(sdk: Sdk, error: unknown): number | null {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof sdk.SdkHttpError) return cause.data.status;
    if (cause instanceof sdk.SseError && cause.code !== undefined) return cause.code;
    const posted = /^Error POSTing to endpoint \(HTTP (\d{3})\)/.exec(cause.message)?.[1];
    if (posted !== undefined) return Number(posted);
  }
  return null;
}

function protocolFault(
  sdk: Sdk,
  error: InstanceType<Sdk["SdkError"]>,
  shown: (message: string) => string,
): UpstreamFault {
  switch (error.code) {
    case sdk.SdkErrorCode.ClientHttpUnexpectedContent:
      return new UpstreamFault("protocol", "the server's answer is neither JSON nor an event stream");
    case sdk.SdkErrorCode.ConnectionClosed:
      return new UpstreamFault("closed", "the server ended the connection");
    default:
      return new UpstreamFault("protocol", shown(error.message));
  }
}

/**
 * Returns a message of a server or the library in one short line. Secrets are redacted before whitespace is folded, because they can
 * contain whitespace, and again afterwards, because folding can produce one.
 */
function shortened(message: string, redactor: Redactor): string {
  const line = redactor.text(redactor.text(message).replace(/\s+/g, " ").trim());
  return line.length <= UPSTREAM_LIMITS.reasonChars ? line : `${line.slice(0, UPSTREAM_LIMITS.reasonChars)}…`;
}
