// What the claims of an issuer's token mean: whom it speaks for, whether as an admin, and which groups it names.

import { ACCESS_LIMITS } from "../limits";
import { GROUP_NAME, GROUP_ROLES, isNameable, type Membership, RESERVED_GROUPS } from "./access";

/** Which claims to look at. */
export interface ClaimNames {
  user: string;
  name: string | undefined;
  role: string | undefined;
  /** What the role claim is, or has, for an admin. */
  adminValue: string;
  groups: string | undefined;
}

/** Whom a token speaks for. */
export interface Bearer {
  userId: string;
  name: string | undefined;
  role: "user" | "admin";
  claimed: Membership[];
  /** Claimed, and no name of a group. */
  unread: string[];
}

export type Claims = { readonly [claim: string]: unknown };

/** Whether a bearer text has the form of a signed token. Keys have no dots. */
export function isToken(text: string): boolean {
  return /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*$/.test(text);
}

/** Where the gateway speaks MCP. */
const MCP = "/mcp";

/**
 * The audiences that count at a URL: those of the settings, and, where one of them is the gateway's `…/mcp`, the URL itself if it is
 * below that. A token for one URL opens no other; which origin is the gateway's the settings say, and not the request.
 *
 * @param path of the request, with its query
 */
export function audiencesAt(configured: readonly string[], path: string): string[] {
  const [plain = ""] = path.split("?");
  // Where a client of a server of type `sse` sends its messages is no resource of its own.
  const resource = plain.replace(/^(\/mcp\/servers\/[^/]+)\/message$/, "$1");
  if (resource !== MCP && !resource.startsWith(`${MCP}/`)) return [...configured];
  const origins = configured
    .filter((audience) => audience.endsWith(MCP))
    .map((audience) => audience.slice(0, -MCP.length));
  const own = origins.flatMap((origin) => [origin + resource, ...(resource === plain ? [origin + path] : [])]);
  return [...configured, ...own];
}

/** Whom these claims name, or `null` when they name nobody who can be a user here. */
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

/** A claim by its name, or, where there is none of that name, by its path with dots (`realm_access.roles`). */
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

/** A text, or the texts of a list. */
function textsOf(value: unknown): string[] {
  const values = Array.isArray(value) ? value : [value];
  return values.filter((entry) => typeof entry === "string");
}

/** `name` (a Developer) or `name:Role`; anything else names no group. */
function groupOf(text: string): Membership[] {
  const [group = "", written, ...rest] = text.split(":");
  const role = written === undefined ? "Developer" : GROUP_ROLES.find((known) => known === written);
  if (role === undefined || rest.length > 0 || !GROUP_NAME.test(group) || RESERVED_GROUPS.has(group)) return [];
  return [{ group, role }];
}
