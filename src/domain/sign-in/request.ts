// Parses a request to /oauth/authorize. The redirect URI is validated first, because other errors are sent there.

import { SIGN_IN_LIMITS } from "./limits";
import { readResource } from "./resource";

/** The client and the redirect URI, or a problem that can only be shown on a page. */
export type Asker = { clientId: string; redirectUri: string; problem?: never } | { problem: string };

/** The requested grant. */
export interface GrantRequest {
  /** The client's `state`, returned unchanged; `null`: none. */
  state: string | null;
  challenge: string;
  /** Canonical. */
  resource: string;
}

/** An OAuth error that is sent to the client. */
export interface OAuthError {
  error: string;
  error_description: string;
}

export function readAsker(query: URLSearchParams): Asker {
  const [clientId, ...otherIds] = query.getAll("client_id");
  const [redirectUri, ...otherUris] = query.getAll("redirect_uri");
  if (clientId === undefined || clientId === "") return { problem: "`client_id` is missing." };
  if (redirectUri === undefined || redirectUri === "") return { problem: "`redirect_uri` is missing." };
  if (otherIds.length > 0 || otherUris.length > 0) return { problem: "`client_id` is sent twice." };
  return { clientId, redirectUri };
}

/** Returns the `state` for the response. */
export function stateOf(query: URLSearchParams): string | null {
  const state = query.get("state");
  return state === null || state.length > SIGN_IN_LIMITS.stateChars ? null : state;
}

const ONCE = ["response_type", "response_mode", "state", "scope", "code_challenge", "code_challenge_method", "prompt"];
/** Base64url of 32 bytes, as S256 produces. */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

/** Returns the requested grant or the error. Any requested scope is replaced by the only existing one; the response names it. */
export function readGrantRequest(
  query: URLSearchParams,
  origin: string,
): { wanted: GrantRequest } | { refusal: OAuthError } {
  const refuse = (error: string, error_description: string) => ({ refusal: { error, error_description } });
  const twice = ONCE.find((name) => query.getAll(name).length > 1);
  if (twice !== undefined) return refuse("invalid_request", `${twice} is sent more than once. Send it once.`);
  if ((query.get("state") ?? "").length > SIGN_IN_LIMITS.stateChars)
    return refuse(
      "invalid_request",
      `\`state\` is too long (limit ${SIGN_IN_LIMITS.stateChars} characters). Use a shorter value.`,
    );
  if (query.has("request"))
    return refuse("request_not_supported", "Request objects are not supported. Send the parameters directly.");
  if (query.has("request_uri"))
    return refuse("request_uri_not_supported", "Request objects are not supported. Send the parameters directly.");
  if (query.get("response_type") !== "code")
    return refuse("unsupported_response_type", "`response_type` is not supported. Use `code`.");
  if ((query.get("response_mode") ?? "query") !== "query")
    return refuse("invalid_request", "`response_mode` is not supported. Use `query`.");
  if (query.get("code_challenge_method") !== "S256" || !CHALLENGE.test(query.get("code_challenge") ?? ""))
    return refuse("invalid_request", "PKCE is required. Send `code_challenge` with `code_challenge_method=S256`.");
  // The user must always confirm: consent is not stored.
  if ((query.get("prompt") ?? "").split(" ").includes("none"))
    return refuse("interaction_required", "`prompt=none` is not supported, because users always confirm. Remove it.");
  const [asked, ...others] = query.getAll("resource");
  const resource = asked === undefined || others.length > 0 ? null : readResource(origin, asked);
  if (resource === null)
    return refuse(
      "invalid_target",
      `\`resource\` is missing or not valid. Send the URL of one MCP server of this gateway, such as ${origin}/mcp.`,
    );
  return { wanted: { state: query.get("state"), challenge: query.get("code_challenge") ?? "", resource } };
}
