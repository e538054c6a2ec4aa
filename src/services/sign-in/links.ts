// Links that sign a user in once: for people who own no key, made by an admin or by the service whose users they are.

import { canActAs, type Principal } from "../../domain/access/access";
import { ABOUT } from "../../domain/access/audit";
import { managesAllKeys } from "../../domain/access/key-scope";
import { sha256Hex } from "../../domain/digest";
import { GatewayError } from "../../domain/errors";
import { hasOwnSignIn } from "../../domain/settings/sign-in";
import { SIGN_IN_LIMITS } from "../../domain/sign-in/limits";
import { writeLinkSecret } from "../../domain/sign-in/link";
import { insertLink } from "../../storage/d1/sign-in/links";
import { audited } from "../audit";
import type { Context } from "../context";

/** A link's row, and its secret, which nobody can read again. */
export interface MadeLink {
  id: string;
  userId: string;
  secret: string;
  expiresAt: number;
}

/** Makes a link for a user. */
export async function createLink(context: Context, userId: string): Promise<MadeLink> {
  const { principal } = context.caller;
  if (!mayMakeLinks(principal)) {
    const message = "Only an admin, or a service whose key has `act_as`, may make sign-in links.";
    throw new GatewayError("forbidden", "SIGN_IN_DENIED", message);
  }
  requireOwnSignIn(context);
  const id = context.newId("sil");
  const secret = writeLinkSecret(crypto.getRandomValues(new Uint8Array(32)));
  const told = { after: { user_id: ABOUT }, about: userId, when: "is" } as const;
  const row = { id, hash: await sha256Hex(secret), userId, createdBy: principal.userId };
  const made = await insertLink(audited(context, "sign_in.create", id, told), row, SIGN_IN_LIMITS.linksOfUser);
  if (made !== null) return { id, userId, secret, expiresAt: made.expiresAt };
  const message = `This user has ${SIGN_IN_LIMITS.linksOfUser} sign-in links that wait. Use one of them, or wait ten minutes.`;
  throw new GatewayError("conflict", "TOO_MANY_SIGN_INS", message);
}

/** Refuses what only serves the gateway's own sign-in, where there is none. */
export function requireOwnSignIn({ settings }: Context): void {
  if (hasOwnSignIn(settings)) return;
  const message = "This gateway signs nobody in itself: MCP hosts sign in at its issuer, or take a key.";
  throw new GatewayError("conflict", "NO_SIGN_IN", message);
}

/** Whoever can act as a user, or make a key for one, may let the user sign in; a limited admin's key can neither. */
function mayMakeLinks(principal: Principal): boolean {
  return canActAs(principal) || managesAllKeys(principal);
}
