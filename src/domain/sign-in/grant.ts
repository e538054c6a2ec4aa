// A user's authorization of an MCP host: a grant, and the code that the host exchanges for it.

import { canActAs, isAdmin, isNameable, type Membership } from "../access/access";
import { allows } from "../access/key-scope";

/** The only scope of a grant: MCP requests at its URL. */
export const GRANT_SCOPE = "mcp";

/** Methods of signing in: with a key, with a sign-in link, or at the configured issuer. */
export const SIGN_IN_METHODS = ["key", "link", "issuer"] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

/** What a user has approved, before the host receives anything. */
export interface Approved {
  userId: string;
  via: SignInMethod;
  /** Id of the key or the link. For a user of an issuer: `<issuer> <sub>`. */
  viaId: string;
  /** The stored key on which the grant depends; `null` if there is none. */
  keyId: string | null;
  /** Groups that the issuer's token claimed. */
  claimed: readonly Membership[];
  /** Latest end of the grant, because of the credential the user signed in with; `null`: as the settings say. */
  endsAt: number | null;
  clientId: string;
  /** The client's display name, made safe to show. */
  clientName: string;
  /** As sent by the host. The host sends the same value again with the code. */
  redirectUri: string;
  /** PKCE by S256. */
  challenge: string;
  /** Canonical: `readResource`. */
  resource: string;
}

/** The facts of a key that decide whether it can be used to sign in. */
export interface SigningKey {
  userId: string;
  role: "user" | "admin";
  scopes: readonly string[];
  expiresAt: number | null;
}

/** Minimum remaining lifetime of a key used to sign in. */
const LEAST_LIFE = 60 * 60_000;

/**
 * Whether a key can be used to sign in. Keys of admins and services have more rights than a host should receive, and a grant cannot have
 * more rights than its key.
 */
export function maySignIn(key: SigningKey, now: number): boolean {
  if (isAdmin(key) || canActAs(key) || !isNameable(key.userId)) return false;
  return allows(key.scopes, GRANT_SCOPE) && (key.expiresAt === null || key.expiresAt >= now + LEAST_LIFE);
}

/** The user and how they signed in. */
export type SignedIn = Pick<Approved, "userId" | "via" | "viaId" | "keyId" | "claimed" | "endsAt">;
