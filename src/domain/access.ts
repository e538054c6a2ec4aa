// Who may do what: the only place that decides it. Everything else asks.

/** Who is calling. A request made with `On-Behalf-Of` carries the named user here, never the service. */
export interface Principal {
  userId: string;
  role: "user" | "admin";
  groups: readonly string[];
  scopes: readonly string[];
  /** The key behind the call, for the log. */
  keyId: string;
}

/** What a key may be made for besides being its user's. `act_as`: it may send `On-Behalf-Of`. */
export const KEY_SCOPES = ["act_as"] as const;

export const PUBLIC_SCOPE = "public";
/** The scope of secrets that every conversation's servers may use. */
export const GATEWAY_SCOPE = "gateway";
/** The owner of public skills, as in the seeds. */
export const PUBLIC_USER = "0";
/** The namespace of everybody's own things; any other namespace is a group's. */
export const DEFAULT_NAMESPACE = "default";

export function userScope(userId: string): string {
  return `user:${userId}`;
}

export function groupScope(group: string): string {
  return `group:${group}`;
}

/** The scopes a principal sees, first wins: own over groups over public. */
export function visibleScopes(principal: Principal): string[] {
  return [userScope(principal.userId), ...principal.groups.map(groupScope), PUBLIC_SCOPE];
}

/** The scope a namespace stands for when this principal names it; `null` when it is a group the principal is not in. */
export function scopeOfNamespace(principal: Principal, namespace: string): string | null {
  if (namespace === DEFAULT_NAMESPACE) return userScope(principal.userId);
  return principal.groups.includes(namespace) ? groupScope(namespace) : null;
}

/** The namespace that a thing of this scope is said to be in. */
export function namespaceOfScope(scope: string): string {
  return scope.startsWith("group:") ? scope.slice("group:".length) : DEFAULT_NAMESPACE;
}

export function canRead(principal: Principal, scope: string): boolean {
  return visibleScopes(principal).includes(scope);
}

/** Public skills are written by admins only; one's own and one's groups' by oneself. */
export function canWrite(principal: Principal, scope: string): boolean {
  return scope === PUBLIC_SCOPE ? principal.role === "admin" : canRead(principal, scope);
}

/** Only public skills run code, since only admins write them. */
export function canExecute(scope: string): boolean {
  return scope === PUBLIC_SCOPE;
}

/** Whether this principal may send `On-Behalf-Of`. */
export function canActAs(principal: Pick<Principal, "scopes">): boolean {
  return principal.scopes.includes("act_as");
}

/** The scopes whose secrets a principal's servers use, first wins: own over groups over the gateway's. */
export function secretScopes(principal: Principal): string[] {
  return [userScope(principal.userId), ...principal.groups.map(groupScope), GATEWAY_SCOPE];
}

/** Who may store, list and delete secrets of a scope: one's own oneself, a group's its members, the gateway's admins. */
export function canManageSecrets(principal: Principal, scope: string): boolean {
  return scope === GATEWAY_SCOPE ? principal.role === "admin" : canRead(principal, scope);
}
