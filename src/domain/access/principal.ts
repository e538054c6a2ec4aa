// The authenticated caller: a user, the rights of the key, and the console session, if any.

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
