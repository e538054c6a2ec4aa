// What a program asks for at /oauth/authorize. Where its answer may go must be known before it is told what is wrong with the rest.

import { SIGN_IN_LIMITS } from "./limits";
import { readResource } from "./resource";

/** Who asks, and where the answer is to go; `null` with what is wrong, which only a page may say. */
export type Asker = { clientId: string; redirectUri: string; problem?: never } | { problem: string };

/** What is asked for. */
export interface GrantRequest {
  /** The program's own mark, which it gets back; `null`: it has sent none. */
  state: string | null;
  challenge: string;
  /** Canonical. */
  resource: string;
}

/** A refusal in OAuth's words, which is sent to the program. */
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

/** The mark that goes back with every answer. */
export function stateOf(query: URLSearchParams): string | null {
  const state = query.get("state");
  return state === null || state.length > SIGN_IN_LIMITS.stateChars ? null : state;
}

const ONCE = ["response_type", "response_mode", "state", "scope", "code_challenge", "code_challenge_method", "prompt"];
/** Base64url of 32 bytes: what S256 makes. */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

/** What is asked for, or the refusal. The one scope there is stands for whatever scopes are asked: the answer says which it is. */
export function readGrantRequest(
  query: URLSearchParams,
  origin: string,
): { wanted: GrantRequest } | { refusal: OAuthError } {
  const refuse = (error: string, error_description: string) => ({ refusal: { error, error_description } });
  const twice = ONCE.find((name) => query.getAll(name).length > 1);
  if (twice !== undefined) return refuse("invalid_request", `${twice} is sent more than once. Send it once.`);
  if ((query.get("state") ?? "").length > SIGN_IN_LIMITS.stateChars)
    return refuse("invalid_request", `\`state\` is too long (limit ${SIGN_IN_LIMITS.stateChars} characters).`);
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
  // Somebody always has to look: nothing is remembered of an earlier consent.
  if ((query.get("prompt") ?? "").split(" ").includes("none"))
    return refuse("interaction_required", "`prompt=none` is not supported: users always confirm.");
  const [asked, ...others] = query.getAll("resource");
  const resource = asked === undefined || others.length > 0 ? null : readResource(origin, asked);
  if (resource === null)
    return refuse(
      "invalid_target",
      `\`resource\` is missing or not valid. Send the URL of one MCP server of this gateway, such as ${origin}/mcp.`,
    );
  return { wanted: { state: query.get("state"), challenge: query.get("code_challenge") ?? "", resource } };
}
