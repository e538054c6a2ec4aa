// Returns a caller's rights as one object, for pages that show or hide buttons. It uses `access.ts` and `key-scope.ts` and decides nothing
// itself: an action may still fail, for example because of a quota.

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

/** The caller's rights on the resources of one namespace. */
export interface NamespaceRights extends Record<Action | "secrets" | "manage", boolean> {
  /** `default` for own resources, `public`, or a group's name. */
  namespace: string;
  /** The caller's role in the group. */
  role: GroupRole | null;
  /** Roles that the caller can grant and remove. */
  members: GroupRole[];
}

export interface Rights {
  /** The scopes that this key grants. */
  scopes: KeyScope[];
  /** Whether it can send `On-Behalf-Of`. */
  act_as: boolean;
  /** Whether it can perform admin actions. */
  operate: boolean;
  make_groups: boolean;
  namespaces: NamespaceRights[];
}

/** The key scope that each action requires. */
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
 * @param acting whether a service acts for the principal: then keys and admin actions are not allowed
 * @param groupsOpen whether users can create groups
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
    // Public resources use the gateway's secrets.
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
