// Who calls: a user, with what the key may do, and the session where the call comes from the console.

/** Roles in a group, highest first. */
export const GROUP_ROLES = ["Owner", "Maintainer", "Developer", "Reporter"] as const;
export type GroupRole = (typeof GROUP_ROLES)[number];

export interface Membership {
  group: string;
  role: GroupRole;
  /** The caller's token claims it, and nothing else says so. */
  claimed?: true | undefined;
}

/** Who is calling. A request made with `On-Behalf-Of` carries the named user here, never the service. */
export interface Principal {
  userId: string;
  /** What the issuer of a token calls the user. */
  name?: string | undefined;
  role: "user" | "admin";
  /** In rank order: what an earlier group has hides what a later one has. */
  groups: readonly Membership[];
  scopes: readonly string[];
  /** The key behind the call, for the log. */
  keyId: string;
  /** Of a caller in the console. */
  session?: PrincipalSession | undefined;
}

/** A session of the console, as it matters to what may be done in it. */
export interface PrincipalSession {
  id: string;
  signedInAt: number;
  /** Its user has signed in within the last minutes, which dangerous things want. */
  isFresh: boolean;
  /** When it ends at the latest. */
  endsAt: number;
  via: "key" | "link" | "issuer";
  /** The stored key that it ends with; `null`: it comes from none, and `mark` says from what. */
  keyId: string | null;
  mark: string | null;
}
