// What every 401 says of how to do better.

import type { Context as HonoContext } from "hono";
import type { HttpEnv } from "./env";

/** Where the metadata of RFC 9728 is; for a resource with a path, that path follows. */
export const WELL_KNOWN = "/.well-known/oauth-protected-resource";
export const MCP_PATH = "/mcp";

/** The WWW-Authenticate header: where the metadata is, and whether it was the bearer that was no good. */
export function challenge(c: HonoContext<HttpEnv>): string {
  const { origin, pathname } = new URL(c.req.url);
  const path = pathname === MCP_PATH || pathname.startsWith(`${MCP_PATH}/`) ? MCP_PATH : "";
  const error = c.req.header("authorization") === undefined ? "" : 'error="invalid_token", ';
  return `Bearer realm="skill-gateway", ${error}resource_metadata="${origin}${WELL_KNOWN}${path}"`;
}
