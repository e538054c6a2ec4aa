// One sign-in, from the opened page to the response for the client. Nothing of it is stored for the next one.

import type { Principal } from "../../domain/access/access";
import { readKeyId } from "../../domain/access/key";
import { sha256Hex } from "../../domain/digest";
import { DURATIONS } from "../../domain/durations";
import { refusalIn } from "../../domain/errors";
import type { Client } from "../../domain/sign-in/client";
import type { SignedIn } from "../../domain/sign-in/grant";
import { type Approved, maySignIn } from "../../domain/sign-in/grant";
import { SIGN_IN_LIMITS } from "../../domain/sign-in/limits";
import { readLinkSecret } from "../../domain/sign-in/link";
import type { GrantRequest } from "../../domain/sign-in/request";
import { endpointOf } from "../../domain/sign-in/resource";
import { recording } from "../../storage/d1/audit";
import type { Database } from "../../storage/d1/database";
import { type LinkRow, spendLink } from "../../storage/d1/sign-in/links";
import {
  approvePage,
  countAttempt,
  insertPage,
  type PageOf,
  type PageRow,
  readApproved,
  setSignedInUser,
} from "../../storage/d1/sign-in/pages";
import { type IdentityRequest, identify } from "../access/identity";
import { type Address, countPageOpened } from "./budget";
import { draftPageCode, pageCode } from "./codes";
import type { SignInContext } from "./context";

/** Opens a sign-in for a browser. Returns its id. */
export async function openPage(
  context: SignInContext,
  address: Address,
  browser: string,
  asks: { client: Client; redirectUri: string; wanted: GrantRequest },
): Promise<string> {
  await countPageOpened(context, address);
  const { client, redirectUri, wanted } = asks;
  const id = context.newId("sin");
  const pageData = { clientId: client.id, clientName: client.name, clientHost: client.host, redirectUri, ...wanted };
  await insertPage(context.db, { id, browser, ...pageData });
  return id;
}

/** Why a sign-in failed, for the page. `guess`: the credential does not exist. */
export interface SignInFailure {
  problem: string;
  guess: boolean;
}

const ENDED: SignInFailure = { problem: "This page expired. Start again from your program.", guess: false };
const TRIED: SignInFailure = {
  problem: "Too many attempts on this page. Start again from your program.",
  guess: true,
};

/** Signs in with typed text: a user's key or a sign-in link. Returns `null` on success. */
export async function signInByTyping(
  context: SignInContext,
  looking: IdentityRequest,
  page: PageOf,
  typed: string,
): Promise<SignInFailure | null> {
  if (!(await countAttempt(context.db, page, SIGN_IN_LIMITS.tries))) return TRIED;
  const text = typed.trim();
  const secret = readLinkSecret(text);
  if (secret !== null) return signInByLink(context, page, { hash: await sha256Hex(secret) });
  const found = await holderOf(context, looking, text);
  return "problem" in found ? found : note(context, page, found);
}

/** Signs in with a link: by its secret, or as the browser that opened it. */
export async function signInByLink(
  context: SignInContext,
  page: PageOf,
  shown: { hash: string } | { browser: string },
): Promise<SignInFailure | null> {
  const link = await spendLink(context.db, shown, page.id);
  if (link === null) {
    const problem = "This sign-in link expired (10 minutes) or was already used. Request another link.";
    return { problem, guess: true };
  }
  return note(context, page, byLink(link));
}

function byLink({ id, userId }: LinkRow): SignedIn {
  return { userId, via: "link", viaId: id, keyId: null, claimed: [], endsAt: null };
}

/** Records the signed-in user on the page. */
export async function note(context: SignInContext, page: PageOf, signedIn: SignedIn): Promise<SignInFailure | null> {
  return (await setSignedInUser(context.db, page, signedIn)) ? null : ENDED;
}

/** Returns the owner of a key, checked at the primary, unless the key cannot be used to sign in. */
async function holderOf(
  context: SignInContext,
  looking: IdentityRequest,
  text: string,
): Promise<SignedIn | SignInFailure> {
  const shown = {
    bearer: text,
    session: null,
    onBehalfOf: null,
    endUser: null,
    requestId: context.requestId,
    // Not a resource of any token: tokens of an issuer or a grant are not accepted here.
    path: "/oauth/sign-in",
    resource: null,
    bookmark: null,
  };
  try {
    const { caller, key } = await identify(looking, shown, "certain", () => undefined);
    const { principal } = caller;
    if (key === null || readKeyId(text) === null) return weak(principal);
    if (!maySignIn({ ...principal, expiresAt: key.expiresAt }, context.now())) return weak(principal);
    const { userId } = principal;
    return { userId, via: "key", viaId: key.id, keyId: key.id, claimed: [], endsAt: key.expiresAt };
  } catch (error) {
    const refusal = refusalIn(error);
    if (refusal?.code === "unauthenticated") return { problem: refusal.message, guess: true };
    throw error;
  }
}

/** The failure for a valid credential whose rights are too high or too low to be delegated. */
function weak({ role }: Principal): SignInFailure {
  const problem =
    role === "admin"
      ? "Admin keys are not allowed here, because programs must not have admin rights. Use the key of a user, or a sign-in link (an admin creates it with POST /api/v1/sign-ins)."
      : "This key cannot be used to sign in. Use a user's own key with access to MCP, without `act_as`, that is valid for at least one hour.";
  return { problem, guess: false };
}

/** What the client receives, and the page it came from. */
export interface Allowed {
  code: string;
  page: PageRow;
}

/**
 * Approves the shown consent and creates the code; `null` if the page has ended. Pressing the button again in the same browser returns the
 * same code until the client has exchanged it.
 *
 * @param page as it was shown; `null` if it is no longer open
 * @param secret of the browser's cookie
 */
export async function approve(
  context: SignInContext,
  mine: PageOf,
  page: PageRow | null,
  secret: string,
): Promise<Allowed | null> {
  if (page !== null && page.signedIn !== null) {
    const { signedIn, clientId, clientName, redirectUri, challenge, resource } = page;
    const approved = { ...signedIn, clientId, clientName, redirectUri, challenge, resource };
    const { code, row } = await draftPageCode(mine.id, secret, approved);
    if (await approvePage(recordingApproval(context, mine, approved), mine, row, DURATIONS.code)) return { code, page };
  }
  const code = await pageCode(mine.id, secret);
  const before = await readApproved(context.db, mine, await sha256Hex(code));
  return before === null ? null : { code, page: before };
}

function recordingApproval(context: SignInContext, { id }: PageOf, approved: Approved): Database {
  const { userId, via, keyId, clientId, clientName, resource } = approved;
  const pseudonyms = { pseudonym: context.newId("usr"), otherPseudonym: context.newId("usr") };
  const actor = { userId, keyId: keyId ?? id, requestId: context.requestId, ...pseudonyms };
  const after = { client_id: clientId, client_name: clientName, at: endpointOf(resource), via };
  const pageData = { action: "sign_in.approve", resourceType: "sign_in", resourceId: id, before: null, after } as const;
  return recording(context.db, actor, { ...pageData, about: null, when: { page: id, shownTo: userId } });
}
