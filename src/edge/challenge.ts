// What every 401 says of how to do better.

import type { Context as HonoContext } from "hono";
import { type Settings, settingsFrom } from "../domain/settings/settings";
import { signInServer } from "../domain/settings/sign-in-page";
import { GRANT_SCOPE } from "../domain/sign-in/grant";
import { publicOrigin } from "../domain/sign-in/resource";
import type { HttpEnv } from "./env";

/** Where the metadata of RFC 9728 is; for a resource with a path, that path follows. */
export const WELL_KNOWN = "/.well-known/oauth-protected-resource";
/** Where the metadata of the gateway's own authorization server is (RFC 8414). */
export const SERVER_METADATA = "/.well-known/oauth-authorization-server";
export const MCP_PATH = "/mcp";

/** Where hosts look for a sign-in, metadata first. Pages may, too. */
export const SIGN_IN_PATHS = ["/.well-known/*", "/register", "/authorize", "/token"] as const;

/** What hosts ask for when they look for a sign-in, where a server's metadata names none. */
const SIGN_IN = /^\/(register|authorize|token|\.well-known\/(oauth-authorization-server|openid-configuration)(\/.*)?)$/;

/** What a host that looks for a sign-in is told, as OAuth tells errors; `null` for any other path. */
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

/** The scopes that a host is to ask for, with a blank between. */
export function scopesWanted(settings: Settings): string[] {
  return signInServer(settings) === "own" ? [GRANT_SCOPE] : settings.OAUTH_SCOPES;
}

/** The WWW-Authenticate header: where the metadata is, what to ask for, and whether it was the bearer that was no good. */
export function challenge(c: HonoContext<HttpEnv>): string {
  const settings = settingsFrom(c.env);
  const { pathname, search } = new URL(c.req.url);
  const isMcp = c.req.path === MCP_PATH || c.req.path.startsWith(`${MCP_PATH}/`);
  // Clients compare the resource that the metadata names with the URL they were given, so the path is repeated as it was sent.
  const path = isMcp ? pathname + search.replaceAll('"', "%22") : "";
  const error = c.req.header("authorization") === undefined ? "" : 'error="invalid_token", ';
  const scopes = scopesWanted(settings).join(" ");
  const scope = scopes === "" ? "" : `, scope="${scopes}"`;
  return `Bearer realm="skill-gateway", ${error}resource_metadata="${publicOrigin(settings, c.req.url)}${WELL_KNOWN}${path}"${scope}`;
}
