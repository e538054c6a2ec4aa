// What a key is limited to: the closed list of scopes, and the table that says which of them a request needs.

import { canActAs, isAdmin, type Principal } from "./access";

/**
 * What a key may be made for besides being its user's. `act_as` adds a right: it may send `On-Behalf-Of`. Every other scope
 * limits: a key that has one of them does what its scopes name and nothing else.
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

/** What a request needs of a key. `any`: every good key will do. `unlimited`: none with limits will. */
export type Need = KeyScope | "any" | "unlimited";

/** Vendors' APIs of skills, beside which their chat endpoints lie. */
const VENDOR_SKILLS = /^(\/s\/group\/[^/]+)?\/(openai|anthropic)\/v1\/skills(\/|$)/;

/** The first line that fits counts. A path without a line needs a key without limits: what is new is closed. */
const NEEDS: readonly { methods?: readonly string[]; path: RegExp; need: Need }[] = [
  { path: /^\/api\/v1\/(me|whoami)$/, need: "any" },
  { methods: ["POST"], path: /^\/api\/v1\/keys$/, need: "admin" },
  { path: /^\/api\/v1\/(keys|grants|sessions)(\/|$)/, need: "keys" },
  { path: /^\/console\/api\/session$/, need: "any" },
  { path: /^\/api\/v1\/groups(\/|$)/, need: "groups" },
  { methods: ["POST"], path: /^\/api\/v1\/kinds\/skills\/(invoke|validate)$/, need: "skills:read" },
  { methods: ["GET"], path: /^\/api\/v1\/kinds\/skills(\/|$)/, need: "skills:read" },
  { path: /^\/api\/v1\/kinds\/skills\/[^/]+\/versions\/[^/]+\/verdict$/, need: "admin" },
  { path: /^\/api\/v1\/kinds\/skills\//, need: "skills:write" },
  { path: /^\/api\/v1\/kinds\/ghosts(\/|$)/, need: "ghosts" },
  { path: /^\/api\/(v1\/conversations|tasks)(\/|$)/, need: "conversations" },
  { path: /^\/api\/v1\/links(\/|$)/, need: "skills:read" },
  { path: /^\/api\/v1\/imports(\/|$)/, need: "skills:write" },
  { path: /^\/api\/v1\/secrets\/rotate$/, need: "admin" },
  { path: /^\/api\/v1\/(secrets|models|servers)(\/|$)/, need: "secrets" },
  { methods: ["GET"], path: /^\/api\/v1\/me\/servers$/, need: "mcp" },
  {
    path: /^\/api\/v1\/(mcp-servers|audit|users|search-index|open-skills|sign-ins|oauth-clients)(\/|$)/,
    need: "admin",
  },
  { path: /^\/metrics$/, need: "admin" },
  { methods: ["GET"], path: /^\/(s\/.+|api\/search)$/, need: "skills:read" },
  { methods: ["GET"], path: VENDOR_SKILLS, need: "skills:read" },
  { path: VENDOR_SKILLS, need: "skills:write" },
  { methods: ["POST"], path: /^\/s\/(own|group\/[^/]+)\/agent-plugin$/, need: "skills:write" },
  { methods: ["GET"], path: /^\/api\/v1\/(search|resolve|download|skills(\/.+)?)$/, need: "skills:read" },
  { path: /^\/api\/v1\/skills(\/.+)?$/, need: "skills:write" },
  { path: /^\/mcp(\/|$)/, need: "mcp" },
  { path: /^\/(openai|anthropic)(\/|$)/, need: "chat" },
];

/** What a request needs, by its method (HEAD is GET) and the path that the router matches. */
export function needOf(method: string, path: string): Need {
  const asked = method === "HEAD" ? "GET" : method;
  const bare = path.replace(/\/+$/, "");
  const line = NEEDS.find((entry) => (entry.methods?.includes(asked) ?? true) && entry.path.test(bare));
  return line?.need ?? "unlimited";
}

/**
 * How a request may be answered by what was read of its caller before: `remembered`, or `recent`, which looks for something newer
 * first. `strict`: the primary is asked.
 */
export type IdentitySource = "remembered" | "recent";

const CONVERSATION = "/api/v1/conversations/[^/]+";
const SKILLS = "/api/v1/kinds/skills";

/**
 * What may go by what was read before: the steps of a conversation, and looking at skills. Everything else is strict: whatever
 * publishes, replaces or deletes, keys, groups, secrets, users, the audit log, servers, tickets and sockets, and what is new.
 */
const REMEMBERED: readonly { methods?: readonly string[]; path: RegExp; recall: IdentitySource }[] = [
  { methods: ["POST"], path: new RegExp(`^${CONVERSATION}/turns$`), recall: "recent" },
  { methods: ["POST"], path: new RegExp(`^${CONVERSATION}/(tool-calls|restore|requests)$`), recall: "remembered" },
  { methods: ["POST"], path: new RegExp(`^${CONVERSATION}/requests/[^/]+/response$`), recall: "remembered" },
  {
    methods: ["GET"],
    path: new RegExp(`^${CONVERSATION}(/(prompt|tools|events|series|at/[^/]+|requests(/[^/]+)?))?$`),
    recall: "remembered",
  },
  { methods: ["GET"], path: /^\/api\/tasks\/[^/]+\/skills$/, recall: "remembered" },
  { methods: ["GET"], path: new RegExp(`^${SKILLS}(/unified|/public/list)?$`), recall: "remembered" },
  { methods: ["GET"], path: new RegExp(`^${SKILLS}/public/[^/]+/(download|content)$`), recall: "remembered" },
  { methods: ["GET"], path: new RegExp(`^${SKILLS}/[^/]+(/(download|versions|files(/.+)?))?$`), recall: "remembered" },
  {
    methods: ["GET"],
    path: new RegExp(`^${SKILLS}/[^/]+/versions/[^/]+/(permissions|files(/.+)?)$`),
    recall: "remembered",
  },
  { methods: ["GET"], path: /^\/(s\/.+|api\/search)$/, recall: "remembered" },
  { methods: ["GET"], path: /^\/api\/v1\/(whoami|search|resolve|download|skills(\/.+)?)$/, recall: "remembered" },
  { methods: ["GET", "POST"], path: /^\/mcp(\/[^/]+)?$/, recall: "remembered" },
  { methods: ["GET"], path: VENDOR_SKILLS, recall: "remembered" },
  { methods: ["GET", "POST"], path: /^\/(openai|anthropic)\/v1\/(?!skills(\/|$))[^/]+(\/.+)?$/, recall: "remembered" },
];

/** How a request may be answered, by its method (HEAD is GET) and its path. */
export function identitySourceOf(method: string, path: string): IdentitySource | "strict" {
  const asked = method === "HEAD" ? "GET" : method;
  const bare = path.replace(/\/+$/, "");
  const line = REMEMBERED.find((entry) => (entry.methods?.includes(asked) ?? true) && entry.path.test(bare));
  return line?.recall ?? "strict";
}

/** What goes on while D1 is down, with a principal that was known before: existing conversations, from their own copy. */
const SURVIVES_OUTAGE = /^\/api\/(?:v1\/conversations|tasks)\/[^/]+|^\/mcp\/[^/]+$/;

/** Whether requests to this path are served while the caller cannot be checked. */
export function survivesOutage(path: string): boolean {
  return SURVIVES_OUTAGE.test(path);
}

/** Whether a key with these scopes may make a request that needs this. */
export function allows(scopes: readonly string[], need: Need): boolean {
  return need === "any" || isUnlimited(scopes) || scopes.includes(need);
}

/** What is left of a service's scopes when it acts for somebody: its limits, and no right to act for others again. */
export function limitsOf(scopes: readonly string[]): string[] {
  return scopes.filter((scope) => scope !== "act_as");
}

/** A key as far as it matters who may have to do with it. */
export interface ManagedKey {
  userId: string;
  role: "user" | "admin";
  scopes: readonly string[];
}

/** Whether this principal may see and revoke a key: its own, and as an admin every one. */
export function canRevokeKey(principal: Principal, key: Pick<ManagedKey, "userId">): boolean {
  return managesAllKeys(principal) || key.userId === principal.userId;
}

/** Whether this principal may have a successor of a key, which is to hold all its rights: never more than it has itself. */
export function canRotateKey(principal: Principal, key: ManagedKey): boolean {
  if (managesAllKeys(principal)) return true;
  if (key.userId !== principal.userId || (isAdmin(key) && !isAdmin(principal))) return false;
  if (canActAs(key) && !canActAs(principal)) return false;
  return isUnlimited(principal.scopes) || (!isUnlimited(key.scopes) && covers(principal.scopes, key.scopes));
}

/** Whether this principal may have to do with everybody's keys. */
export function managesAllKeys(principal: Principal): boolean {
  return isAdmin(principal) && allows(principal.scopes, "admin");
}

function isUnlimited(scopes: readonly string[]): boolean {
  return limitsOf(scopes).length === 0;
}

function covers(scopes: readonly string[], others: readonly string[]): boolean {
  return others.every((scope) => scopes.includes(scope));
}
