// Proves which gateway user sits at a browser, for pages that need only this: by a key, a sign-in link, or a console session.

import { allows } from "../../domain/access/key-scope";
import { sha256Hex } from "../../domain/digest";
import { refusalIn } from "../../domain/errors";
import { readLinkSecret } from "../../domain/sign-in/link";
import { spendLink } from "../../storage/d1/sign-in/links";
import { ENVIRONMENT_KEY } from "../access/credential";
import { type IdentityRequest, identify } from "../access/identity";
import type { SignInContext } from "./context";
import type { SignInFailure } from "./pages";

/** Connecting a server stores a credential of the user, so it requires the scope of secrets. */
const NEEDED = "secrets";

/** Returns the user of typed text: a key, or a sign-in link, which is used up. */
export async function userByTyping(
  context: SignInContext,
  looking: IdentityRequest,
  pageId: string,
  typed: string,
): Promise<{ userId: string } | SignInFailure> {
  const text = typed.trim();
  const secret = readLinkSecret(text);
  if (secret !== null) return userByLink(context, pageId, { hash: await sha256Hex(secret) });
  return userOf(context, looking, { bearer: text, session: null });
}

/** Returns the user of a sign-in link, which is used up. */
export async function userByLink(
  context: SignInContext,
  pageId: string,
  shown: { hash: string } | { browser: string },
): Promise<{ userId: string } | SignInFailure> {
  const link = await spendLink(context.db, shown, pageId);
  if (link !== null) return { userId: link.userId };
  const problem = "This sign-in link expired (10 minutes) or was already used. Request another link.";
  return { problem, guess: true };
}

/** Returns the user of a console session; `null` if it is not valid, or too old for changing credentials. */
export async function userBySession(
  context: SignInContext,
  looking: IdentityRequest,
  session: string | null,
): Promise<string | null> {
  if (session === null) return null;
  const found = await userOf(context, looking, { bearer: null, session });
  return "problem" in found ? null : found.userId;
}

async function userOf(
  context: SignInContext,
  looking: IdentityRequest,
  credential: { bearer: string | null; session: string | null },
): Promise<{ userId: string } | SignInFailure> {
  const shown = {
    ...{ ...credential, onBehalfOf: null, endUser: null, requestId: context.requestId },
    // Not a resource of any token: tokens of an issuer or a grant are not accepted here.
    ...{ path: "/oauth/connect", resource: null, bookmark: null },
  };
  try {
    const { caller, key } = await identify(looking, shown, "certain", () => undefined);
    const { userId, scopes, session } = caller.principal;
    const isRecent = session === undefined || session.isFresh;
    const isKey = key !== null || caller.principal.keyId === ENVIRONMENT_KEY;
    if (allows(scopes, NEEDED) && isKey && isRecent) return { userId };
    const problem = `This key cannot be used here. Use one of your keys with the scope \`${NEEDED}\`, or a key without limits.`;
    return { problem, guess: false };
  } catch (error) {
    const refusal = refusalIn(error);
    if (refusal?.code === "unauthenticated") return { problem: refusal.message, guess: true };
    throw error;
  }
}
