// What somebody gives an MCP host by signing in: a grant, and the code that the host exchanges for it.

import { canActAs, isAdmin, isNameable, type Membership } from "../access/access";
import { allows } from "../access/key-scope";

/** The one scope of a grant: to speak MCP at its URL. */
export const GRANT_SCOPE = "mcp";

/** How somebody signed in: with a key, by a link that was made for the user, or at the configured issuer. */
export const SIGN_IN_METHODS = ["key", "link", "issuer"] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

/** What a user has approved, before a host has anything of it. */
export interface Approved {
  userId: string;
  via: SignInMethod;
  /** The id of the key or of the link; of an issuer's user `<issuer> <sub>`. */
  viaId: string;
  /** The stored key that the grant dies with; `null` where there is none. */
  keyId: string | null;
  /** Groups that the issuer's token claimed. */
  claimed: readonly Membership[];
  /** When the grant ends at the latest, by what the user signed in with; `null`: as the settings say. */
  endsAt: number | null;
  clientId: string;
  /** What the client calls itself, made fit to be shown. */
  clientName: string;
  /** As the host has sent it. It sends the same again with the code. */
  redirectUri: string;
  /** PKCE by S256. */
  challenge: string;
  /** Canonical: `readResource`. */
  resource: string;
}

/** A key as far as it matters who may sign in with it. */
export interface SigningKey {
  userId: string;
  role: "user" | "admin";
  scopes: readonly string[];
  expiresAt: number | null;
}

/** A key must live so long that a host has something of it. */
const LEAST_LIFE = 60 * 60_000;

/**
 * Whether somebody may sign in with this key. An admin's key and a service's are worth more than a host should ever hold, and what a
 * key may not do no grant of it may.
 */
export function maySignIn(key: SigningKey, now: number): boolean {
  if (isAdmin(key) || canActAs(key) || !isNameable(key.userId)) return false;
  return allows(key.scopes, GRANT_SCOPE) && (key.expiresAt === null || key.expiresAt >= now + LEAST_LIFE);
}
