// Limits of keys: the list of scopes, and the table of scopes that requests require.

import { canActAs, isAdmin, type Principal } from "./access";

/**
 * Scopes of a key. `act_as` adds a right: sending `On-Behalf-Of`. Every other scope limits the key: it can do what its scopes name and
 * nothing else.
 */
export const KEY_SCOPES = [
  "act_as",
  "skills:read",
  "skills:write",
  "ghosts",
  "conversations",
  "groups",
  "keys",
  "secrets",
  "mcp",
  "chat",
  "admin",
] as const;

export type KeyScope = (typeof KEY_SCOPES)[number];

/** The scope of keys of trusted publishers. No other key can have it, and such a key can only publish. */
export const PUBLISHING = "publishing";

/** The key a request requires. `any`: every valid key. `unlimited`: a key without limits. */
export type Need = KeyScope | "any" | "unlimited";

/** Vendors' Skills APIs, which share prefixes with their chat endpoints. */
const VENDOR_SKILLS = /^(\/s\/group\/[^/]+)?\/(openai|anthropic)\/v1\/skills(\/|$)/;

/** The first matching row counts. A path without a row requires an unlimited key, so new routes are closed by default. */
const NEEDS: readonly { methods?: readonly string[]; path: RegExp; need: Need }[] = [
  { path: /^\/api\/v1\/(me|whoami)$/, need: "any" },
  { methods: ["POST"], path: /^\/api\/v1\/keys$/, need: "admin" },
  { path: /^\/api\/v1\/(keys|grants|sessions|publishers)(\/|$)/, need: "keys" },
  { path: /^\/console\/api\/session$/, need: "any" },
  { path: /^\/api\/v1\/groups(\/|$)/, need: "groups" },
  { methods: ["POST"], path: /^\/api\/v1\/kinds\/skills\/(invoke|validate)$/, need: "skills:read" },
  { methods: ["GET"], path: /^\/api\/v1\/kinds\/skills(\/|$)/, need: "skills:read" },
  { path: /^\/api\/v1\/kinds\/skills\/[^/]+\/versions\/[^/]+\/verdict$/, need: "admin" },
  { path: /^\/api\/v1\/kinds\/skills\/[^/]+\/ratings\/[^/]+\/hidden$/, need: "admin" },
  { path: /^\/api\/v1\/(kinds\/skills\/[^/]+\/env|me\/skill-env(\/.+)?)$/, need: "secrets" },
  { path: /^\/api\/v1\/kinds\/skills\//, need: "skills:write" },
  { path: /^\/api\/v1\/kinds\/ghosts(\/|$)/, need: "ghosts" },
  { path: /^\/api\/(v1\/conversations|tasks)(\/|$)/, need: "conversations" },
  { methods: ["GET"], path: /^\/api\/v1\/events$/, need: "skills:read" },
  { path: /^\/api\/v1\/(links|insights)(\/|$)/, need: "skills:read" },
  { methods: ["GET"], path: /^\/api\/v1\/reviews(\/|$)/, need: "skills:read" },
  { path: /^\/api\/v1\/reviews(\/|$)/, need: "skills:write" },
  { path: /^\/api\/v1\/imports(\/|$)/, need: "skills:write" },
  { path: /^\/api\/v1\/secrets\/rotate$/, need: "admin" },
  { methods: ["POST"], path: /^\/api\/v1\/mcp-servers\/[^/]+\/connect$/, need: "secrets" },
  { path: /^\/api\/v1\/(secrets|models|servers|connections|webhooks)(\/|$)/, need: "secrets" },
  { methods: ["GET"], path: /^\/api\/v1\/(me\/servers|server-catalog)$/, need: "mcp" },
  {
    path: /^\/api\/v1\/(mcp-servers|audit|executor|users|search-index|open-skills|reports|sign-ins|oauth-clients)(\/|$)/,
    need: "admin",
  },
  { path: /^\/metrics$/, need: "admin" },
  { methods: ["GET"], path: /^\/(s\/.+|api\/search|api\/skill-market\/.+)$/, need: "skills:read" },
  { methods: ["GET"], path: VENDOR_SKILLS, need: "skills:read" },
  { path: VENDOR_SKILLS, need: "skills:write" },
  { methods: ["POST"], path: /^\/s\/(own|group\/[^/]+)\/agent-plugin$/, need: "skills:write" },
  { methods: ["GET"], path: /^\/api\/v1\/(search|resolve|download|skills(\/.+)?)$/, need: "skills:read" },
  { path: /^\/api\/v1\/skills(\/.+)?$/, need: "skills:write" },
  { path: /^\/mcp(\/|$)/, need: "mcp" },
  { path: /^\/(openai|anthropic)(\/|$)/, need: "chat" },
];

/** Returns what a request requires, by method (HEAD counts as GET) and routed path. */
export function needOf(method: string, path: string): Need {
  const asked = method === "HEAD" ? "GET" : method;
  const bare = path.replace(/\/+$/, "");
  const line = NEEDS.find((entry) => (entry.methods?.includes(asked) ?? true) && entry.path.test(bare));
  return line?.need ?? "unlimited";
}

/** Which cached identity a request accepts: `remembered`, or `recent`, which first looks for a newer one. `strict`: only the primary. */
export type IdentitySource = "remembered" | "recent";

const CONVERSATION = "/api/v1/conversations/[^/]+";
const SKILLS = "/api/v1/kinds/skills";

/**
 * Requests that accept a cached identity: steps of a conversation, calls of servers, and reading skills. Everything else is strict: publishing, replacing,
 * deleting, keys, groups, secrets, users, audit, servers, tickets, sockets, and new routes.
 */
const REMEMBERED: readonly { methods?: readonly string[]; path: RegExp; source: IdentitySource }[] = [
  { methods: ["POST"], path: new RegExp(`^${CONVERSATION}/turns$`), source: "recent" },
  { methods: ["POST"], path: new RegExp(`^${CONVERSATION}/(tool-calls|restore|requests)$`), source: "remembered" },
  { methods: ["POST"], path: new RegExp(`^${CONVERSATION}/requests/[^/]+/response$`), source: "remembered" },
  {
    methods: ["GET"],
    path: new RegExp(`^${CONVERSATION}(/(prompt|tools|events|series|at/[^/]+|requests(/[^/]+)?))?$`),
    source: "remembered",
  },
  { methods: ["GET"], path: /^\/api\/tasks\/[^/]+\/skills$/, source: "remembered" },
  { methods: ["GET"], path: new RegExp(`^${SKILLS}(/unified|/public/list)?$`), source: "remembered" },
  { methods: ["GET"], path: new RegExp(`^${SKILLS}/public/[^/]+/(download|content)$`), source: "remembered" },
  {
    methods: ["GET"],
    path: new RegExp(`^${SKILLS}/(?!usage$)[^/]+(/(download|versions|files(/.+)?))?$`),
    source: "remembered",
  },
  {
    methods: ["GET"],
    path: new RegExp(`^${SKILLS}/[^/]+/versions/[^/]+/(permissions|files(/.+)?)$`),
    source: "remembered",
  },
  { methods: ["GET"], path: /^\/(s\/.+|api\/search)$/, source: "remembered" },
  { methods: ["GET"], path: /^\/api\/v1\/(whoami|search|resolve|download|skills(\/.+)?)$/, source: "remembered" },
  { methods: ["GET", "POST"], path: /^\/mcp(\/[^/]+)?$/, source: "remembered" },
  { methods: ["GET", "POST"], path: /^\/mcp\/servers\/[^/]+(\/message)?$/, source: "remembered" },
  { methods: ["GET"], path: VENDOR_SKILLS, source: "remembered" },
  { methods: ["GET", "POST"], path: /^\/(openai|anthropic)\/v1\/(?!skills(\/|$))[^/]+(\/.+)?$/, source: "remembered" },
];

/** Returns which identity a request accepts, by method (HEAD counts as GET) and path. */
export function identitySourceOf(method: string, path: string): IdentitySource | "strict" {
  const asked = method === "HEAD" ? "GET" : method;
  const bare = path.replace(/\/+$/, "");
  const line = REMEMBERED.find((entry) => (entry.methods?.includes(asked) ?? true) && entry.path.test(bare));
  return line?.source ?? "strict";
}

/** Requests served while D1 is down, for a cached principal: existing conversations, from their own copy. */
const SURVIVES_OUTAGE = /^\/api\/(?:v1\/conversations|tasks)\/[^/]+|^\/mcp\/[^/]+$/;

/** Whether requests to this path are served while the caller cannot be checked. */
export function survivesOutage(path: string): boolean {
  return SURVIVES_OUTAGE.test(path);
}

/** Whether a key with these scopes satisfies the requirement. */
export function allows(scopes: readonly string[], need: Need): boolean {
  return need === "any" || isUnlimited(scopes) || scopes.includes(need);
}

/** The requests that a key of a trusted publisher can make. */
const PUBLISHES = /^\/api\/v1\/kinds\/skills\/(upload|public|public\/upload)$/;

/** Whether a key with these scopes can make a request, by method and routed path. */
export function canRequest(scopes: readonly string[], method: string, path: string): boolean {
  if (scopes.includes(PUBLISHING)) return method === "POST" && PUBLISHES.test(path.replace(/\/+$/, ""));
  return allows(scopes, needOf(method, path));
}

/** Returns the scopes that remain when a service acts for a user: its limits, without the right to act for others. */
export function limitsOf(scopes: readonly string[]): string[] {
  return scopes.filter((scope) => scope !== "act_as");
}

/** The facts of a key that decide who can manage it. */
export interface ManagedKey {
  userId: string;
  role: "user" | "admin";
  scopes: readonly string[];
}

/** Whether the principal can see and revoke a key: own keys, and all keys for admins. */
export function canRevokeKey(principal: Principal, key: Pick<ManagedKey, "userId">): boolean {
  return managesAllKeys(principal) || key.userId === principal.userId;
}

/** Whether the principal can rotate a key. The successor has all its rights, which must not exceed the principal's own. */
export function canRotateKey(principal: Principal, key: ManagedKey): boolean {
  if (managesAllKeys(principal)) return true;
  if (key.userId !== principal.userId || (isAdmin(key) && !isAdmin(principal))) return false;
  if (canActAs(key) && !canActAs(principal)) return false;
  return isUnlimited(principal.scopes) || (!isUnlimited(key.scopes) && covers(principal.scopes, key.scopes));
}

/** Whether the principal can manage all keys. */
export function managesAllKeys(principal: Principal): boolean {
  return isAdmin(principal) && allows(principal.scopes, "admin");
}

function isUnlimited(scopes: readonly string[]): boolean {
  return limitsOf(scopes).length === 0;
}

function covers(scopes: readonly string[], others: readonly string[]): boolean {
  return others.every((scope) => scopes.includes(scope));
}
