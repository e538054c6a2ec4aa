// The canonical URL of an MCP endpoint of this gateway, which tokens are bound to (RFC 8707).

/** The MCP endpoints. */
const MCP = /^\/mcp(\/|$)/;

/** The message URL of a server of type `sse` is not a resource of its own. */
const MESSAGES = /^(\/mcp\/servers\/[^/]+)\/message$/;

/** Returns the gateway's public origin, by default that of the request. */
export function publicOrigin(settings: { PUBLIC_ORIGIN?: string | undefined }, url: string): string {
  return settings.PUBLIC_ORIGIN ?? new URL(url).origin;
}

/**
 * Returns the canonical resource URL of a path: without query and trailing slash, with normalized segments. `null` if it is not an MCP URL.
 *
 * @param path as a URL has it: encoded, without `.` and `..`
 */
export function resourceAt(origin: string, path: string): string | null {
  const spelt = speltPath(path);
  if (spelt === null || !MCP.test(spelt)) return null;
  return origin + spelt.replace(MESSAGES, "$1");
}

/**
 * Returns the canonical URL of a host's `resource`. The query is ignored: `/mcp?ghost=a` is `/mcp`. `null` if it is not an MCP URL of this
 * origin, or has other parts.
 */
export function readResource(origin: string, text: string): string | null {
  const url = URL.parse(text);
  if (url === null || url.origin !== origin || url.hash !== "" || url.username !== "" || url.password !== "")
    return null;
  return resourceAt(origin, url.pathname);
}

/** Returns the endpoint of a canonical URL for logs, without the conversation id, which the user chose. */
export function endpointOf(resource: string): string {
  const path = new URL(resource).pathname;
  return path === "/mcp" || path.startsWith("/mcp/servers/") ? path : "/mcp/{id}";
}

/** Decodes and encodes each segment once; `null` if a segment is invalid or a dot segment. */
function speltPath(path: string): string | null {
  const segments = path.replace(/\/+$/, "").split("/").map(decoded);
  const spelt = segments.map((segment) =>
    segment === null || segment === "." || segment === ".." ? null : encodeURIComponent(segment).replaceAll("%3A", ":"),
  );
  return spelt.includes(null) ? null : spelt.join("/");
}

function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    // It is not UTF-8 or has an incomplete escape, which no id has.
    return null;
  }
}
