// What every 401 says of how to do better.

import type { Context as HonoContext } from "hono";
import type { HttpEnv } from "./env";

/** Where the metadata of RFC 9728 is; for a resource with a path, that path follows. */
export const WELL_KNOWN = "/.well-known/oauth-protected-resource";
export const MCP_PATH = "/mcp";

/** Where hosts look for a sign-in, metadata first. Pages may, too. */
export const SIGN_IN_PATHS = ["/.well-known/*", "/register", "/authorize", "/token"] as const;

/** What hosts ask for when they look for a sign-in, where a server's metadata names none. */
const SIGN_IN = /^\/(register|authorize|token|\.well-known\/(oauth-authorization-server|openid-configuration)(\/.*)?)$/;

/** What a host that looks for a sign-in is told, as OAuth tells errors; `null` for any other path. */
export function noSignIn(
  path: string,
  issuer: string | undefined,
): { error: string; error_description: string } | null {
  if (!SIGN_IN.test(path)) return null;
  const error = path === "/register" ? "invalid_client_metadata" : "invalid_request";
  if (issuer !== undefined)
    return { error, error_description: `Sign in at ${issuer}: ${WELL_KNOWN}${MCP_PATH} names it.` };
  const error_description =
    "This gateway has no sign-in. Send a key instead: give your host the header `Authorization: Bearer <key>` for this server.";
  return { error, error_description };
}

/** The WWW-Authenticate header: where the metadata is, and whether it was the bearer that was no good. */
export function challenge(c: HonoContext<HttpEnv>): string {
  const { origin, pathname, search } = new URL(c.req.url);
  // Clients hold the resource that the metadata names against the URL that they were given, so each URL has its own.
  const path =
    pathname === MCP_PATH || pathname.startsWith(`${MCP_PATH}/`) ? pathname + search.replaceAll('"', "%22") : "";
  const error = c.req.header("authorization") === undefined ? "" : 'error="invalid_token", ';
  return `Bearer realm="skill-gateway", ${error}resource_metadata="${origin}${WELL_KNOWN}${path}"`;
}
