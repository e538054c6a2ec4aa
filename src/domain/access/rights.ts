// What a caller may do, as one object that a page can read before it shows a button. It asks `access.ts` and `key-scope.ts`, as the use
// cases do, and decides nothing itself: a right that it names may still meet a quota, or a thing that is not there.

import {
  type Action,
  canActAs,
  canManageGroup,
  canManageSecrets,
  DEFAULT_NAMESPACE,
  GATEWAY_SCOPE,
  type GroupRole,
  groupScope,
  isAdmin,
  manageableRoles,
  may,
  type Principal,
  PUBLIC_SCOPE,
  userScope,
} from "./access";
import { allows, KEY_SCOPES, type KeyScope } from "./key-scope";

/** What the caller may do with the things of one namespace. */
export interface NamespaceRights extends Record<Action | "secrets" | "manage", boolean> {
  /** `default`: one's own; `public`; else a group's name. */
  namespace: string;
  /** In the group. */
  role: GroupRole | null;
  /** The roles that the caller may give and take there. */
  members: GroupRole[];
}

export interface Rights {
  /** What this key opens, in words of the scopes of keys. */
  scopes: KeyScope[];
  /** Whether it may send `On-Behalf-Of`. */
  act_as: boolean;
  /** Whether it may do what is for admins only. */
  operate: boolean;
  make_groups: boolean;
  namespaces: NamespaceRights[];
}

/** What each action on a skill or a ghost needs of the key. */
const NEEDED: Record<Action, KeyScope> = {
  read: "skills:read",
  publish: "skills:write",
  change: "skills:write",
  activate: "skills:write",
  delete: "skills:write",
  measure: "skills:read",
  define: "ghosts",
};

/**
 * @param acting whether a service asks on behalf of the principal: then keys, and what is for admins, are closed
 * @param groupsOpen whether users make groups
 */
export function rightsOf(principal: Principal, acting: boolean, groupsOpen: boolean): Rights {
  const opens = (scope: KeyScope) => allows(principal.scopes, scope);
  const closed = (scope: KeyScope) =>
    scope === "act_as" ||
    (acting && (scope === "keys" || scope === "admin")) ||
    (scope === "admin" && !isAdmin(principal));
  const scopes = KEY_SCOPES.filter((scope) => opens(scope) && !closed(scope));
  const does = (action: Action, scope: string) => opens(NEEDED[action]) && may(principal, action, scope);
  const within = (namespace: string, scope: string, role: GroupRole | null): NamespaceRights => ({
    namespace,
    role,
    read: does("read", scope),
    publish: does("publish", scope),
    change: does("change", scope),
    activate: does("activate", scope),
    delete: does("delete", scope),
    measure: does("measure", scope),
    define: does("define", scope),
    // What is public uses the gateway's.
    secrets: opens("secrets") && canManageSecrets(principal, scope === PUBLIC_SCOPE ? GATEWAY_SCOPE : scope),
    manage: role !== null && opens("groups") && canManageGroup(principal, namespace),
    members: role !== null && opens("groups") ? [...manageableRoles(principal, namespace)] : [],
  });
  return {
    scopes,
    act_as: canActAs(principal) && !acting,
    operate: scopes.includes("admin"),
    make_groups: opens("groups") && (groupsOpen || isAdmin(principal)),
    namespaces: [
      within(DEFAULT_NAMESPACE, userScope(principal.userId), null),
      ...principal.groups.map(({ group, role }) => within(group, groupScope(group), role)),
      within(PUBLIC_SCOPE, PUBLIC_SCOPE, null),
    ],
  };
}
