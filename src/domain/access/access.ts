// Authorization rules: decides which principal can do what. `key-scope.ts` limits this by the scopes of the key.

import type { CodeScopes } from "../settings/settings";
import type { PublisherRights } from "./publisher";

/** Roles in a group, highest first. */
export const GROUP_ROLES = ["Owner", "Maintainer", "Developer", "Reporter"] as const;
export type GroupRole = (typeof GROUP_ROLES)[number];

export interface Membership {
  group: string;
  role: GroupRole;
  /** The membership comes only from a claim of the caller's token. */
  claimed?: true | undefined;
}

/** The caller. For a request with `On-Behalf-Of`, the named user, never the service. */
export interface Principal {
  userId: string;
  /** Display name from the issuer of a token. */
  name?: string | undefined;
  role: "user" | "admin";
  /** In rank order: skills of an earlier group hide those of a later one. */
  groups: readonly Membership[];
  scopes: readonly string[];
  /** Id of the key, for the log. */
  keyId: string;
  /** Set for callers in the console. */
  session?: PrincipalSession | undefined;
  /** Set for a CI job with a key of a trusted publisher. */
  publisher?: PublisherRights | undefined;
}

/** The facts of a console session that affect rights. */
export interface PrincipalSession {
  id: string;
  signedInAt: number;
  /** The user signed in within the last minutes, as dangerous actions require. */
  isFresh: boolean;
  /** Latest end of the session. */
  endsAt: number;
  via: "key" | "link" | "issuer";
  /** The stored key whose end also ends the session; `null`: none, and `mark` identifies the origin. */
  keyId: string | null;
  mark: string | null;
}

/**
 * An action on the resources of a scope. `publish`: a new skill; `change`: another version; `measure`: read others' usage; `define`:
 * create, replace and delete ghosts, which determine the prompt of models and where the scope's secrets are sent.
 */
export type Action = "read" | "publish" | "change" | "activate" | "delete" | "measure" | "define";

const LEAST_ROLE: Record<Action, GroupRole> = {
  read: "Reporter",
  publish: "Developer",
  change: "Developer",
  activate: "Maintainer",
  delete: "Maintainer",
  measure: "Maintainer",
  define: "Maintainer",
};

export const PUBLIC_SCOPE = "public";
/** The scope of secrets that every conversation's servers can use. */
export const GATEWAY_SCOPE = "gateway";
/** The owner of public skills, as in Wegent. */
export const PUBLIC_USER = "0";
/** The user of the environment's key. */
export const ADMIN_USER = "admin";
/** The actor of settings changes in the audit log. */
export const DEPLOYMENT_USER = "deployment";
/** The namespace of a user's own resources; other namespaces are groups. */
export const DEFAULT_NAMESPACE = "default";

/** The format of user ids from any source. */
export const USER_ID = /^[A-Za-z0-9._:@+=-]{1,128}$/;
/** User ids reserved by the gateway. */
const RESERVED_USERS: ReadonlySet<string> = new Set([PUBLIC_USER, ADMIN_USER, DEPLOYMENT_USER]);

/** Whether a service, an issuer, or an API caller can name this user as caller, member or owner. Reserved ids cannot be named. */
export function isNameable(userId: string): boolean {
  return USER_ID.test(userId) && !RESERVED_USERS.has(userId);
}

export const GROUP_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
/** Group names that would be ambiguous. */
export const RESERVED_GROUPS: ReadonlySet<string> = new Set([DEFAULT_NAMESPACE, PUBLIC_SCOPE, GATEWAY_SCOPE]);

export const GROUP_PREFIX = "group:";
const USER_PREFIX = "user:";

export function userScope(userId: string): string {
  return `${USER_PREFIX}${userId}`;
}

export function groupScope(group: string): string {
  return `${GROUP_PREFIX}${group}`;
}

/** Returns the group of a scope; `null` for other scopes. */
export function groupOfScope(scope: string): string | null {
  return scope.startsWith(GROUP_PREFIX) ? scope.slice(GROUP_PREFIX.length) : null;
}

/** Returns the scope of a user's drafts. It is in no `visibleScopes`, so queries by scope do not find drafts. */
export function draftScope(author: string): string {
  return `${DRAFTS}${author}`;
}

/** Returns the author of a draft scope; `null` for other scopes. */
export function authorOfDrafts(scope: string): string | null {
  return scope.startsWith(DRAFTS) ? scope.slice(DRAFTS.length) : null;
}

/** Returns the draft scope that counts towards a user's quota. */
export function draftScopeBeside(scope: string): string[] {
  return scope.startsWith(USER_PREFIX) ? [draftScope(scope.slice(USER_PREFIX.length))] : [];
}

const DRAFTS = "draft:";
/** Prefix of the scope that a view uses for an admin's draft of a public skill. */
export const PUBLIC_DRAFTS = "public-draft:";

/** Returns the kind of a scope. */
export function kindOfScope(scope: string): "user" | "group" | "public" {
  if (scope === PUBLIC_SCOPE) return "public";
  return groupOfScope(scope) === null ? "user" : "group";
}

/**
 * Returns the scopes a principal sees, first wins: own over groups over public. A key of a publisher sees the publisher's scope and public.
 */
export function visibleScopes(principal: Principal): string[] {
  if (principal.publisher !== undefined) return [...new Set([principal.publisher.scope, PUBLIC_SCOPE])];
  return [userScope(principal.userId), ...principal.groups.map(({ group }) => groupScope(group)), PUBLIC_SCOPE];
}

/**
 * Returns the scopes that a ghost of this scope takes skills from, first wins: for a user's own ghost everything the user sees, for a
 * shared one the same for all its users. Empty if the principal cannot read the ghost.
 */
export function skillScopes(principal: Principal, ghostScope: string): string[] {
  const visible = visibleScopes(principal);
  if (ghostScope === userScope(principal.userId)) return visible;
  return visible.filter((scope) => visible.includes(ghostScope) && (scope === ghostScope || scope === PUBLIC_SCOPE));
}

/** Returns the scopes whose ghosts this principal can write. */
export function definableScopes(principal: Principal): string[] {
  return visibleScopes(principal).filter((scope) => may(principal, "define", scope));
}

/** Returns the scope of a namespace for this principal; `null` for a group the principal is not in. */
export function scopeOfNamespace(principal: Principal, namespace: string): string | null {
  if (namespace === DEFAULT_NAMESPACE) return userScope(principal.userId);
  return roleIn(principal, namespace) === null ? null : groupScope(namespace);
}

/** Returns the scope of a ghost's namespace. `public` stands for ghosts that everybody can use. */
export function scopeOfGhosts(principal: Principal, namespace: string): string | null {
  return namespace === PUBLIC_SCOPE ? PUBLIC_SCOPE : scopeOfNamespace(principal, namespace);
}

/** Returns the namespace of a scope. */
export function namespaceOfScope(scope: string): string {
  return groupOfScope(scope) ?? DEFAULT_NAMESPACE;
}

/** Returns the principal's role in a group; `null` if not a member. */
export function roleIn(principal: Principal, group: string): GroupRole | null {
  return principal.groups.find((membership) => membership.group === group)?.role ?? null;
}

/** Returns the minimum role that an action requires in a group. */
export function roleFor(action: Action): GroupRole {
  return LEAST_ROLE[action];
}

/**
 * Whether the principal can perform an action: on public resources only admins, on a group's according to the role, on own resources the
 * user.
 */
export function may(principal: Principal, action: Action, scope: string): boolean {
  const { publisher } = principal;
  if (publisher !== undefined) {
    if (scope !== publisher.scope || (action !== "publish" && action !== "change")) return false;
    // A publisher of a group loses its rights with the user who registered it.
    return groupOfScope(scope) === null || hasRole(principal, scope, LEAST_ROLE[action]);
  }
  if (action === "read" || scope === userScope(principal.userId)) return canRead(principal, scope);
  if (scope === PUBLIC_SCOPE) return isAdmin(principal);
  return hasRole(principal, scope, LEAST_ROLE[action]);
}

/**
 * Whether the principal can delete a skill: with the right in its scope; in a group also its first publisher, while still a Developer
 * there; and every admin, to remove harmful skills.
 */
export function canDeleteSkill(principal: Principal, { scope, userId }: { scope: string; userId: string }): boolean {
  if (isAdmin(principal) || may(principal, "delete", scope)) return true;
  return groupOfScope(scope) !== null && userId === principal.userId && may(principal, "publish", scope);
}

/**
 * Returns the scopes whose ghosts prevent the principal from deleting what they use: those of the resource's scope, and the principal's own
 * as a reminder. Ghosts that only others see do not count: otherwise anybody could block a group's skill by naming it in private.
 */
export function scopesThatBlockDeletion(principal: Principal, scope: string): string[] {
  return [...new Set([scope, userScope(principal.userId)])].filter((holding) => canRead(principal, holding));
}

export function canRead(principal: Principal, scope: string): boolean {
  return visibleScopes(principal).includes(scope);
}

/** Whether the principal owns a scope: the user, an Owner of the group, or an admin for public. */
export function ownsScope(principal: Principal, scope: string): boolean {
  if (scope === PUBLIC_SCOPE) return isAdmin(principal);
  const group = groupOfScope(scope);
  if (group === null) return scope === userScope(principal.userId);
  const role = roleIn(principal, group);
  return role === "Owner" || (role !== null && isAdmin(principal));
}

/** Returns the first value of `CODE_SCOPES` with which skills of this scope run code. A draft that is not public is its author's. */
export function codeScopeOf(scope: string): CodeScopes {
  if (scope === PUBLIC_SCOPE || scope.startsWith(PUBLIC_DRAFTS)) return "public";
  return groupOfScope(scope) === null ? "users" : "groups";
}

/** Whether skills of this scope can run code for anybody. Only admins write public skills, so these always can. */
export function canExecute(scope: string, allowed: CodeScopes): boolean {
  const needed = codeScopeOf(scope);
  return needed === "public" || needed === allowed || allowed === "users";
}

/** Whether skills of this scope can run code for the principal: a group's for its members, a user's for this user alone. */
export function canExecuteFor(principal: Principal, scope: string, allowed: CodeScopes): boolean {
  if (!canExecute(scope, allowed)) return false;
  return codeScopeOf(scope) === "public" || canRead(principal, scope) || scope === draftScope(principal.userId);
}

/** Whether the principal can manage (and list) secrets: own ones, a group's as Maintainer or above, the gateway's as admin. */
export function canManageSecrets(principal: Principal, scope: string): boolean {
  if (scope === GATEWAY_SCOPE) return isAdmin(principal);
  return scope === userScope(principal.userId) || hasRole(principal, scope, "Maintainer");
}

/**
 * Whether the principal can manage the trusted publishers of a scope: own ones, a group's as Maintainer or above, public ones as admin. A
 * membership that only the caller's token claims does not count, because a publisher outlives the token.
 */
export function canManagePublishers(principal: Principal, scope: string): boolean {
  if (principal.publisher !== undefined) return false;
  if (scope === PUBLIC_SCOPE) return isAdmin(principal);
  const stored = { ...principal, groups: principal.groups.filter(({ claimed }) => claimed !== true) };
  return scope === userScope(principal.userId) || hasRole(stored, scope, "Maintainer");
}

/** Whether a key of a publisher can publish a skill of this name; true for other keys. */
export function canPublishName({ publisher }: Pick<Principal, "publisher">, name: string): boolean {
  return publisher === undefined || publisher.skills.some((allowed) => allowed.normalize("NFC") === name);
}

/** Whether the principal can see a group and its members. */
export function canSeeGroup(principal: Principal, group: string): boolean {
  return isAdmin(principal) || roleIn(principal, group) !== null;
}

/** Whether the principal can rename or delete a group. */
export function canManageGroup(principal: Principal, group: string): boolean {
  return isAdmin(principal) || roleIn(principal, group) === "Owner";
}

/** Returns the roles in a group that the principal can grant and remove. */
export function manageableRoles(principal: Principal, group: string): readonly GroupRole[] {
  if (canManageGroup(principal, group)) return GROUP_ROLES;
  return roleIn(principal, group) === "Maintainer" ? ["Developer", "Reporter"] : [];
}

/** Whether the principal can send `On-Behalf-Of`. */
export function canActAs(principal: Pick<Principal, "scopes">): boolean {
  return principal.scopes.includes("act_as");
}

/**
 * Returns the scopes whose secrets a server uses, first wins: own over groups over the gateway's. A server of a shared ghost only uses the
 * ghost's scope, because the ghost's author decides where secrets are sent: never the user's own, nor, in a group's ghost, the gateway's.
 *
 * @param sharedScope scope of the shared ghost, or of the model's owner
 */
export function secretScopes(principal: Principal, sharedScope: string | null = null): string[] {
  if (sharedScope === null)
    return [userScope(principal.userId), ...principal.groups.map(({ group }) => groupScope(group)), GATEWAY_SCOPE];
  if (sharedScope === PUBLIC_SCOPE) return [GATEWAY_SCOPE];
  if (sharedScope === userScope(principal.userId)) return [sharedScope];
  return groupOfScope(sharedScope) !== null && canRead(principal, sharedScope) ? [sharedScope] : [];
}

export function isAdmin(principal: Pick<Principal, "role">): boolean {
  return principal.role === "admin";
}

function hasRole(principal: Principal, scope: string, least: GroupRole): boolean {
  const role = roleIn(principal, groupOfScope(scope) ?? "");
  return role !== null && GROUP_ROLES.indexOf(role) <= GROUP_ROLES.indexOf(least);
}
