// Signs in to the console with a key, a link, or at the issuer, and creates the session.

import { readKeyId } from "../../domain/access/key";
import { limitsOf } from "../../domain/access/key-scope";
import {
  type NewSession,
  readSessionId,
  SESSION_TIMES,
  SESSIONS_OF_USER,
  writeSessionSecret,
} from "../../domain/console/session";
import { sha256Hex } from "../../domain/digest";
import { GatewayError } from "../../domain/errors";
import { readLinkSecret } from "../../domain/sign-in/link";
import { recording } from "../../storage/d1/audit";
import { insertSession } from "../../storage/d1/console/sessions";
import { SESSION } from "../../storage/d1/identity";
import { spendConsoleLink } from "../../storage/d1/sign-in/links";
import { currentSessionMarks, ENVIRONMENT_KEY } from "../access/credential";
import { type IdentityRequest, identify } from "../access/identity";
import type { SignInContext } from "../sign-in/context";
import type { ExternalIdentity } from "../sign-in/external-issuer";

/** Signs in with a key, including the environment's. Checked at the primary. Throws the errors of a request with that key. */
export async function signInByKey(context: SignInContext, looking: IdentityRequest, key: string): Promise<NewSession> {
  const { GATEWAY_ADMIN_KEY: environmentKey } = context.settings;
  // Tokens of the issuer or of a grant are not accepted: they were issued for other purposes.
  if (key !== environmentKey && typeof readKeyId(key) !== "string") throw noKey();
  const shown = {
    ...{ bearer: key, session: null, onBehalfOf: null, endUser: null, bookmark: null },
    ...{ requestId: context.requestId, path: "/console/api/session", resource: null },
  };
  const { caller, key: held } = await identify(looking, shown, "certain", () => undefined);
  const { userId, role, scopes, keyId } = caller.principal;
  const origin =
    keyId === ENVIRONMENT_KEY
      ? { keyId: null, mark: (await currentSessionMarks(context.settings)).environment }
      : { keyId, mark: null };
  const endsAt = held?.expiresAt ?? null;
  return { userId, name: null, role, scopes: limitsOf(scopes), via: "key", ...origin, claimed: [], endsAt };
}

/** Signs in with a link, which is used up. */
export async function signInByConsoleLink(context: SignInContext, link: string): Promise<NewSession> {
  const secret = readLinkSecret(link);
  const spent =
    secret === null ? null : await spendConsoleLink(context.db, await sha256Hex(secret), context.newId("s"));
  if (spent?.session == null) {
    const message = "This link expired (10 minutes) or was already used. Request another link, or sign in with a key.";
    throw new GatewayError("unauthenticated", "LINK_SPENT", message);
  }
  return { userId: spent.userId, name: null, ...spent.session, via: "link", claimed: [] };
}

/**
 * Returns the session for an identity from the issuer. Its claims are valid while the session lives and the settings name the same issuer.
 */
export async function sessionFromIssuer(
  context: SignInContext,
  { signedIn, name, role }: ExternalIdentity,
): Promise<NewSession> {
  const { userId, claimed, endsAt } = signedIn;
  const { issuer: mark } = await currentSessionMarks(context.settings);
  return { userId, name, role, scopes: [], via: "issuer", keyId: null, mark, claimed, endsAt };
}

/**
 * Starts a session that replaces the browser's previous one. Id and secret are always new, which prevents session fixation.
 *
 * @param before the secret in the browser's cookie
 */
export async function beginSession(
  context: SignInContext,
  session: NewSession,
  before: string | null,
): Promise<{ secret: string; life: number }> {
  const id = context.newId("s").slice(2);
  const secret = writeSessionSecret(id, crypto.getRandomValues(new Uint8Array(32)));
  const now = context.now();
  const { endsAt, ...rest } = session;
  const expiresAt = Math.min(now + SESSION_TIMES.life, endsAt ?? Number.POSITIVE_INFINITY);
  const beforeId = before === null ? null : readSessionId(before);
  await insertSession(
    recordingSession(context, id, session),
    { id, hash: await sha256Hex(secret), ...rest, expiresAt },
    SESSIONS_OF_USER,
    beforeId === null || before === null ? null : { id: beforeId, hash: await sha256Hex(before) },
  );
  return { secret, life: expiresAt - now };
}

function recordingSession(context: SignInContext, id: string, { userId, via }: NewSession) {
  const pseudonyms = { pseudonym: context.newId("usr"), otherPseudonym: context.newId("usr") };
  const actor = { userId, keyId: SESSION + id, requestId: context.requestId, ...pseudonyms };
  const auditEntry = {
    action: "session.create",
    resourceType: "session",
    resourceId: id,
    before: null,
    after: { via },
  } as const;
  return recording(context.db, actor, { ...auditEntry, about: null, when: { thing: "is", type: "session", id } });
}

function noKey(): GatewayError {
  return new GatewayError("unauthenticated", "UNAUTHENTICATED", "The key is not valid. Sign in with a key or a link.");
}
