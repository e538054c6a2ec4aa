// Decides who may do what. The use cases ask it. What a key's scopes let through is in `key-scope.ts`.

import { GROUP_ROLES, type GroupRole, type Principal } from "./principal";

export { GROUP_ROLES, type GroupRole, type Membership, type Principal } from "./principal";

/**
 * What one does with the things of a scope. `publish`: a new skill; `change`: another version of one; `measure`: seeing how much
 * others use one; `define`: making, replacing and deleting a ghost, which says what everybody's model is told and where the scope's
 * secrets go.
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
/** The scope of secrets that every conversation's servers may use. */
export const GATEWAY_SCOPE = "gateway";
/** The owner of public skills, as in the predecessor system. */
export const PUBLIC_USER = "0";
/** Who comes with the environment's key. */
export const ADMIN_USER = "admin";
/** Who changes settings, as the audit log has it. */
export const DEPLOYMENT_USER = "deployment";
/** The namespace of everybody's own things; any other namespace is a group's. */
export const DEFAULT_NAMESPACE = "default";

/** What a user's id looks like, wherever it comes from. */
export const USER_ID = /^[A-Za-z0-9._:@+=-]{1,128}$/;
/** Ids that are the gateway's own. */
const RESERVED_USERS: ReadonlySet<string> = new Set([PUBLIC_USER, ADMIN_USER, DEPLOYMENT_USER]);

/**
 * Whether somebody may say that this user calls, or is to have something: a service, an issuer, whoever makes keys and tickets or
 * fills a group. What is the gateway's own comes from nobody's word.
 */
export function isNameable(userId: string): boolean {
  return USER_ID.test(userId) && !RESERVED_USERS.has(userId);
}

export const GROUP_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
/** Names of groups that would read as something else. */
export const RESERVED_GROUPS: ReadonlySet<string> = new Set([DEFAULT_NAMESPACE, PUBLIC_SCOPE, GATEWAY_SCOPE]);

export const GROUP_PREFIX = "group:";
const USER_PREFIX = "user:";

export function userScope(userId: string): string {
  return `${USER_PREFIX}${userId}`;
}

export function groupScope(group: string): string {
  return `${GROUP_PREFIX}${group}`;
}

/** The group whose scope this is; `null` for any other scope. */
export function groupOfScope(scope: string): string | null {
  return scope.startsWith(GROUP_PREFIX) ? scope.slice(GROUP_PREFIX.length) : null;
}

/** The scope of a user's drafts. It is in nobody's `visibleScopes`: what asks for skills by scope finds none of them. */
export function draftScope(author: string): string {
  return `${DRAFTS}${author}`;
}

/** The author whose drafts a scope has; `null` for any other scope. */
export function authorOfDrafts(scope: string): string | null {
  return scope.startsWith(DRAFTS) ? scope.slice(DRAFTS.length) : null;
}

/** The scope of drafts that counts with a user's own. */
export function draftScopeBeside(scope: string): string[] {
  return scope.startsWith(USER_PREFIX) ? [draftScope(scope.slice(USER_PREFIX.length))] : [];
}

const DRAFTS = "draft:";
/** What a view calls the scope of an admin's draft of a public skill. */
export const PUBLIC_DRAFTS = "public-draft:";

/** Whose a thing is, in a word. */
export function kindOfScope(scope: string): "user" | "group" | "public" {
  if (scope === PUBLIC_SCOPE) return "public";
  return groupOfScope(scope) === null ? "user" : "group";
}

/** The scopes a principal sees, first wins: own over groups over public. */
export function visibleScopes(principal: Principal): string[] {
  return [userScope(principal.userId), ...principal.groups.map(({ group }) => groupScope(group)), PUBLIC_SCOPE];
}

/**
 * The scopes that a ghost of this scope takes skills from, first wins: a user's own all that the user sees, a shared one the same
 * for everybody who uses it. Nothing for who may not read the ghost.
 */
export function skillScopes(principal: Principal, ghostScope: string): string[] {
  const visible = visibleScopes(principal);
  if (ghostScope === userScope(principal.userId)) return visible;
  return visible.filter((scope) => visible.includes(ghostScope) && (scope === ghostScope || scope === PUBLIC_SCOPE));
}

/** The scopes whose ghosts this principal may write. */
export function definableScopes(principal: Principal): string[] {
  return visibleScopes(principal).filter((scope) => may(principal, "define", scope));
}

/** The scope a namespace stands for when this principal names it; `null` when it is a group the principal is not in. */
export function scopeOfNamespace(principal: Principal, namespace: string): string | null {
  if (namespace === DEFAULT_NAMESPACE) return userScope(principal.userId);
  return roleIn(principal, namespace) === null ? null : groupScope(namespace);
}

/** The scope that a ghost's namespace stands for. No group is called `public`, so a ghost there is for everybody. */
export function scopeOfGhosts(principal: Principal, namespace: string): string | null {
  return namespace === PUBLIC_SCOPE ? PUBLIC_SCOPE : scopeOfNamespace(principal, namespace);
}

/** The namespace that a thing of this scope is said to be in. */
export function namespaceOfScope(scope: string): string {
  return groupOfScope(scope) ?? DEFAULT_NAMESPACE;
}

/** The principal's role in a group; `null` outside it. */
export function roleIn(principal: Principal, group: string): GroupRole | null {
  return principal.groups.find((membership) => membership.group === group)?.role ?? null;
}

/** The role in a group that an action needs at least. */
export function roleFor(action: Action): GroupRole {
  return LEAST_ROLE[action];
}

/** What is public is written by admins only, what is a group's by those with the role for it, one's own by oneself. */
export function may(principal: Principal, action: Action, scope: string): boolean {
  if (action === "read" || scope === userScope(principal.userId)) return canRead(principal, scope);
  if (scope === PUBLIC_SCOPE) return isAdmin(principal);
  return hasRole(principal, scope, LEAST_ROLE[action]);
}

/**
 * Whether this principal may delete a skill: who has the right in its scope; of a group's, also whoever published it first, while
 * still a Developer there; and every admin, since somebody must be able to end what does harm.
 */
export function canDeleteSkill(principal: Principal, { scope, userId }: { scope: string; userId: string }): boolean {
  if (isAdmin(principal) || may(principal, "delete", scope)) return true;
  return groupOfScope(scope) !== null && userId === principal.userId && may(principal, "publish", scope);
}

/**
 * The scopes whose ghosts keep this principal from deleting what they use: those of the thing's own scope, and the principal's own
 * as a reminder. Never those that only others see: a group's skill would be held by whoever names it in private.
 */
export function scopesThatBlockDeletion(principal: Principal, scope: string): string[] {
  return [...new Set([scope, userScope(principal.userId)])].filter((holding) => canRead(principal, holding));
}

export function canRead(principal: Principal, scope: string): boolean {
  return visibleScopes(principal).includes(scope);
}

/** Whether a scope is this principal's to answer for: its user, the Owner of its group, or for what is public an admin. */
export function ownsScope(principal: Principal, scope: string): boolean {
  if (scope === PUBLIC_SCOPE) return isAdmin(principal);
  const group = groupOfScope(scope);
  if (group === null) return scope === userScope(principal.userId);
  const role = roleIn(principal, group);
  return role === "Owner" || (role !== null && isAdmin(principal));
}

/** Only public skills run code, and drafts of them, since only admins write either. */
export function canExecute(scope: string): boolean {
  return scope === PUBLIC_SCOPE || scope.startsWith(PUBLIC_DRAFTS);
}

/** Secrets are one's own, a group's for Maintainer and above, and the gateway's for admins. Applies to reading names, too. */
export function canManageSecrets(principal: Principal, scope: string): boolean {
  if (scope === GATEWAY_SCOPE) return isAdmin(principal);
  return scope === userScope(principal.userId) || hasRole(principal, scope, "Maintainer");
}

/** Whether this principal sees that a group is there, and who is in it. */
export function canSeeGroup(principal: Principal, group: string): boolean {
  return isAdmin(principal) || roleIn(principal, group) !== null;
}

/** Whether this principal may rename or delete a group. */
export function canManageGroup(principal: Principal, group: string): boolean {
  return isAdmin(principal) || roleIn(principal, group) === "Owner";
}

/** The roles in a group that this principal may give, and take from those who have them. */
export function manageableRoles(principal: Principal, group: string): readonly GroupRole[] {
  if (canManageGroup(principal, group)) return GROUP_ROLES;
  return roleIn(principal, group) === "Maintainer" ? ["Developer", "Reporter"] : [];
}

/** Whether this principal may send `On-Behalf-Of`. */
export function canActAs(principal: Pick<Principal, "scopes">): boolean {
  return principal.scopes.includes("act_as");
}

/**
 * The scopes whose secrets a server uses, first wins: own over groups over the gateway's. A server of a shared ghost has those of
 * the ghost's scope only, since who wrote it chooses where they go: never the user's own, nor, in a group's ghost, the gateway's.
 *
 * @param sharedScope of the ghost whose server it is, where that is not the principal's own, or of a model, whose key is its owner's
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
