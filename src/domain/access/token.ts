// Interprets claims of an issuer's token: the user, the admin role, and groups.

import { ACCESS_LIMITS } from "../limits";
import { GROUP_NAME, GROUP_ROLES, isNameable, type Membership, RESERVED_GROUPS } from "./access";
import type { Claims } from "./claims";

/** Names of the claims to read. */
export interface ClaimNames {
  user: string;
  name: string | undefined;
  role: string | undefined;
  /** The value of the role claim for admins. */
  adminValue: string;
  groups: string | undefined;
}

/** The user of a token. */
export interface Bearer {
  userId: string;
  name: string | undefined;
  role: "user" | "admin";
  claimed: Membership[];
  /** Claimed values that are not group names. */
  unread: string[];
}

/** Whether a bearer text has the form of a signed token. Keys contain no dots. */
export function isToken(text: string): boolean {
  return /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*$/.test(text);
}

/** The path prefix of MCP endpoints. */
const MCP = "/mcp";

/**
 * Returns the accepted audiences at a URL: those of the settings, and, if one of them is the gateway's `…/mcp`, the URL itself if it is
 * below that. A token for one URL is not valid for others. The gateway's origin comes from the settings, not from the request.
 *
 * @param path path of the request, with its query
 */
export function audiencesAt(configured: readonly string[], path: string): string[] {
  const [plain = ""] = path.split("?");
  // The message URL of a server of type `sse` is not a resource of its own.
  const resource = plain.replace(/^(\/mcp\/servers\/[^/]+)\/message$/, "$1");
  if (resource !== MCP && !resource.startsWith(`${MCP}/`)) return [...configured];
  const origins = configured
    .filter((audience) => audience.endsWith(MCP))
    .map((audience) => audience.slice(0, -MCP.length));
  const own = origins.flatMap((origin) => [origin + resource, ...(resource === plain ? [origin + path] : [])]);
  return [...configured, ...own];
}

/** Returns the user that these claims name, or `null` if the id is not valid here. */
export function bearerOf(claims: Claims, names: ClaimNames): Bearer | null {
  const userId = claimOf(claims, names.user);
  if (typeof userId !== "string" || !isNameable(userId)) return null;
  const name = claimOf(claims, names.name);
  const role = textsOf(claimOf(claims, names.role)).includes(names.adminValue) ? "admin" : "user";
  const texts = textsOf(claimOf(claims, names.groups)).slice(0, ACCESS_LIMITS.claimedGroups);
  const claimed = texts.flatMap(groupOf);
  const unread = texts.filter((text) => groupOf(text).length === 0);
  return { userId, name: typeof name === "string" ? name.slice(0, 200) : undefined, role, claimed, unread };
}

/** Returns a claim by name, otherwise by dotted path (`realm_access.roles`). */
function claimOf(claims: Claims, name: string | undefined): unknown {
  if (name === undefined) return undefined;
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const part of name.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    value = Reflect.get(value, part);
  }
  return value;
}

/** Returns a text, or the texts of a list. */
function textsOf(value: unknown): string[] {
  const values = Array.isArray(value) ? value : [value];
  return values.filter((entry) => typeof entry === "string");
}

/** Parses `name` (a Developer) or `name:Role`; other values are not groups. */
function groupOf(text: string): Membership[] {
  const [group = "", written, ...rest] = text.split(":");
  const role = written === undefined ? "Developer" : GROUP_ROLES.find((known) => known === written);
  if (role === undefined || rest.length > 0 || !GROUP_NAME.test(group) || RESERVED_GROUPS.has(group)) return [];
  return [{ group, role }];
}
