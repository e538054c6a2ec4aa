// Single-use sign-in links for people without a key, created by an admin or by the service whose users they are.

import { ADMIN_USER, canActAs, isNameable, type Principal } from "../../domain/access/access";
import { ABOUT } from "../../domain/access/audit";
import { limitsOf, managesAllKeys } from "../../domain/access/key-scope";
import type { LinkedSession } from "../../domain/console/session";
import { sha256Hex } from "../../domain/digest";
import { GatewayError, invalid } from "../../domain/errors";
import { hasBuiltInSignIn } from "../../domain/settings/sign-in";
import { SIGN_IN_LIMITS } from "../../domain/sign-in/limits";
import { writeLinkSecret } from "../../domain/sign-in/link";
import { insertLink } from "../../storage/d1/sign-in/links";
import { currentSessionMarks, ENVIRONMENT_KEY, tokenEnd } from "../access/credential";
import { audited } from "../audit";
import type { Context } from "../context";

/** A link's row, and its secret, which is returned only here. */
export interface MadeLink {
  id: string;
  userId: string;
  secret: string;
  expiresAt: number;
}

/** The user of a link, and its purpose. */
export interface LinkRequestFor {
  userId: string;
  purpose: "consent" | "console";
  /** The request came to a development build on this machine over http. */
  isLocal: boolean;
}

/** Creates a link for a user. */
export async function createLink(context: Context, { userId, purpose, isLocal }: LinkRequestFor): Promise<MadeLink> {
  const { settings } = context;
  const { principal } = context.caller;
  // `npm start` opens the console for the operator of this machine. No other link signs in the environment key's user.
  const isOperator = isLocal && purpose === "console" && principal.keyId === ENVIRONMENT_KEY && userId === ADMIN_USER;
  if (!isNameable(userId) && !isOperator)
    throw invalid([
      { code: "INVALID_FIELD", message: "The user id is reserved for the gateway. Use another id.", path: "user_id" },
    ]);
  if (!mayMakeLinks(principal)) {
    const message = "Only admins and keys with the scope `act_as` can create sign-in links. Use one of these keys.";
    throw new GatewayError("forbidden", "SIGN_IN_DENIED", message);
  }
  if (purpose === "console" && settings.CONSOLE === "off") {
    throw new GatewayError(
      "conflict",
      "CONSOLE_OFF",
      "The console is disabled on this gateway, so a link cannot open it. Its operator can set `CONSOLE=on`.",
    );
  }
  if (purpose === "consent") requireOwnSignIn(context);
  const id = context.newId("sil");
  const secret = writeLinkSecret(crypto.getRandomValues(new Uint8Array(32)));
  const session = purpose === "consent" ? null : await linkedSession(context, isOperator ? "admin" : "user");
  const change = { after: { user_id: ABOUT, purpose }, about: userId, when: "is" } as const;
  const row = { id, hash: await sha256Hex(secret), userId, createdBy: principal.userId, session };
  const made = await insertLink(audited(context, "sign_in.create", id, change), row, SIGN_IN_LIMITS.linksOfUser);
  if (made !== null) return { id, userId, secret, expiresAt: made.expiresAt };
  const message = `Limit of unused sign-in links reached (${SIGN_IN_LIMITS.linksOfUser} per user). Use one of them, or wait 10 minutes.`;
  throw new GatewayError("conflict", "TOO_MANY_SIGN_INS", message);
}

/** Throws if the gateway's own sign-in is not enabled. */
export function requireOwnSignIn({ settings }: Context): void {
  if (hasBuiltInSignIn(settings)) return;
  const message = "Sign-in at this gateway is disabled. MCP hosts sign in at its issuer or use a key.";
  throw new GatewayError("conflict", "NO_SIGN_IN", message);
}

/** A session that ends with the key that created the link, and has no more rights than that key. */
async function linkedSession({ settings, caller }: Context, role: LinkedSession["role"]): Promise<LinkedSession> {
  const { keyId, session, scopes } = caller.principal;
  const within = { role, scopes: limitsOf(scopes) };
  if (session !== undefined) return { ...within, keyId: session.keyId, mark: session.mark, endsAt: session.endsAt };
  const { environment, issuer } = await currentSessionMarks(settings);
  if (keyId === ENVIRONMENT_KEY) return { ...within, keyId: null, mark: environment, endsAt: null };
  const endsAt = tokenEnd(keyId);
  return endsAt === null ? { ...within, keyId, mark: null, endsAt } : { ...within, keyId: null, mark: issuer, endsAt };
}

/** Callers that can act as a user or create a key for one can also create sign-in links; a limited admin key can do neither. */
function mayMakeLinks(principal: Principal): boolean {
  return canActAs(principal) || managesAllKeys(principal);
}
