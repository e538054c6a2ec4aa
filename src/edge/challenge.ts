// Builds the `WWW-Authenticate` header of 401 responses, and related discovery paths.

import type { Context as HonoContext } from "hono";
import { type Settings, settingsFrom } from "../domain/settings/settings";
import { signInServer } from "../domain/settings/sign-in-page";
import { GRANT_SCOPE } from "../domain/sign-in/grant";
import { publicOrigin } from "../domain/sign-in/resource";
import type { HttpEnv } from "./edge";

/** Path of RFC 9728 metadata; for a resource with a path, that path is appended. */
export const WELL_KNOWN = "/.well-known/oauth-protected-resource";
/** Path of the gateway's authorization-server metadata (RFC 8414). */
export const SERVER_METADATA = "/.well-known/oauth-authorization-server";
export const MCP_PATH = "/mcp";

/** Paths on which hosts look for a sign-in. Pages can call them too. */
export const SIGN_IN_PATHS = ["/.well-known/*", "/register", "/authorize", "/token"] as const;

/** Paths that hosts try if the metadata of a server names none. */
const SIGN_IN = /^\/(register|authorize|token|\.well-known\/(oauth-authorization-server|openid-configuration)(\/.*)?)$/;

/** Returns an OAuth error for hosts that look for a sign-in that does not exist; `null` for other paths. */
export function noSignIn(path: string, settings: Settings): { error: string; error_description: string } | null {
  if (!SIGN_IN.test(path)) return null;
  const error = path === "/register" ? "invalid_client_metadata" : "invalid_request";
  const server = signInServer(settings);
  const { JWT_ISSUER: issuer } = settings;
  if (server === null) {
    const error_description =
      "Sign-in is disabled on this gateway. Configure the header `Authorization: Bearer <key>` for this server instead.";
    return { error, error_description };
  }
  const where =
    server === "own" ? `The sign-in of this gateway is described at ${SERVER_METADATA}` : `Sign in at ${issuer}`;
  return { error, error_description: `${where}: ${WELL_KNOWN}${MCP_PATH} names it.` };
}

/** Returns the scopes that a host should request, separated by blanks. */
export function scopesWanted(settings: Settings): string[] {
  return signInServer(settings) === "own" ? [GRANT_SCOPE] : settings.OAUTH_SCOPES;
}

/** Returns the header: the metadata URL, scopes, and whether the presented token was invalid. */
export function challenge(c: HonoContext<HttpEnv>): string {
  const settings = settingsFrom(c.env);
  const { pathname, search } = new URL(c.req.url);
  const isMcp = c.req.path === MCP_PATH || c.req.path.startsWith(`${MCP_PATH}/`);
  // Clients compare the metadata's resource with the URL they were given, so the path is repeated unchanged.
  const path = isMcp ? pathname + search.replaceAll('"', "%22") : "";
  const error = c.req.header("authorization") === undefined ? "" : 'error="invalid_token", ';
  const scopes = scopesWanted(settings).join(" ");
  const scope = scopes === "" ? "" : `, scope="${scopes}"`;
  return `Bearer realm="skill-gateway", ${error}resource_metadata="${publicOrigin(settings, c.req.url)}${WELL_KNOWN}${path}"${scope}`;
}
