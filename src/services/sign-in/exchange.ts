// Use cases of the token endpoint: exchanges codes for grants, and refresh tokens for their successors.

import type { AuditEntry } from "../../domain/access/audit";
import { sha256Hex } from "../../domain/digest";
import { DURATIONS } from "../../domain/durations";
import { GatewayError, refusalIn } from "../../domain/errors";
import { GRANT_SCOPE } from "../../domain/sign-in/grant";
import { endpointOf } from "../../domain/sign-in/resource";
import { meaningOf } from "../../domain/sign-in/token-family";
import { type RefreshToken, readBearer, readRefreshToken, writeBearer } from "../../domain/sign-in/tokens";
import { type Actor, recording } from "../../storage/d1/audit";
import { readCode } from "../../storage/d1/sign-in/codes";
import {
  endGrant,
  type GrantState,
  type NewToken,
  readGrant,
  redeemCode,
  rotateGrant,
} from "../../storage/d1/sign-in/grants";
import type { SignInContext } from "./context";
import { challengeOf, firstRefresh, isOwnRefresh, type MadeRefresh, successorOf } from "./refresh-tokens";

/** A client's request to exchange a code. */
export interface PresentedCode {
  code: string;
  clientId: string;
  redirectUri: string;
  verifier: string;
  /** The canonical resource, or absent for the one of the code. */
  resource: string | null;
}

export interface PresentedRefreshToken {
  token: string;
  clientId: string;
  resource: string | null;
}

/** The issued tokens. */
export interface IssuedTokens {
  access_token: string;
  token_type: "Bearer";
  expires_in: number;
  refresh_token: string;
  scope: typeof GRANT_SCOPE;
}

const DAY_MS = 24 * 60 * 60_000;
/** Number of attempts against concurrent exchanges. One of them succeeds in every round. */
const ROUNDS = 5;

/** Exchanges a code, once. Presenting an exchanged code ends its grant, because two parties have it. */
export async function exchangeGrantCode(context: SignInContext, shown: PresentedCode): Promise<IssuedTokens> {
  const hash = await sha256Hex(shown.code);
  const found = readBearer("sgc", shown.code) === null ? null : await readCode(context.db, hash);
  if (found === null || found.clientId !== shown.clientId)
    throw invalidGrant("The code is unknown or expired. Sign in again.");
  if (shown.resource !== null && shown.resource !== found.resource) throw invalidTarget(found.resource);
  if (found.claimedBy !== null) return usedAgain(context, found.claimedBy);
  const grantId = context.newId("g").slice(2);
  const [challenge, refresh, access] = await Promise.all([
    challengeOf(shown.verifier),
    firstRefresh(context.settings, grantId),
    accessToken(context),
  ]);
  const { userId, clientId, clientName, resource, via } = found;
  const after = { client_id: clientId, client_name: clientName, at: endpointOf(resource), via };
  const recorded = recordingIn(context, { userId, grantId }, { action: "grant.create", after, when: "is" });
  const { GRANT_DAYS, GRANT_IDLE_DAYS } = context.settings;
  const asked = {
    ...{ hash, clientId, redirectUri: shown.redirectUri, challenge, userId, grantId, refresh, token: access.row },
    ...{ life: GRANT_DAYS * DAY_MS, idle: GRANT_IDLE_DAYS * DAY_MS },
  };
  const grant = await redeemCode(recorded, asked).catch(async (error: unknown) => {
    // The write may have succeeded although it was reported as failed.
    const made = refusalIn(error)?.code === "unavailable" ? await readGrant(context.db, grantId) : null;
    if (made === null) throw error;
    return made;
  });
  if (grant !== null) return issued(grant, access, refresh);
  const now = await readCode(context.db, hash);
  if (now?.claimedBy != null && now.claimedBy !== grantId) return usedAgain(context, now.claimedBy);
  throw invalidGrant("The code expired, or it does not match the redirect URI and the verifier. Sign in again.");
}

/**
 * Exchanges a refresh token for its successor. A repetition returns the same successor. A token that no honest client would present ends
 * the grant.
 *
 * @param admit throws if the grant's rate limit is exceeded
 */
export async function exchangeRefresh(
  context: SignInContext,
  shown: PresentedRefreshToken,
  admit: (grantId: string) => Promise<void>,
): Promise<IssuedTokens> {
  const token = readRefreshToken(shown.token);
  if (token === null) throw invalidGrant("The refresh token is not valid. Sign in again.");
  const [hash, access, next] = await Promise.all([
    sha256Hex(shown.token),
    accessToken(context),
    successorOf(context.settings, token),
  ]);
  if (next === null) throw new Error("the current key makes successors");
  let grant = await readGrant(context.db, token.grantId);
  for (let round = 0; round < ROUNDS; round++) {
    if (grant === null || !grant.isLive || grant.clientId !== shown.clientId) throw ended();
    const meaning = await meaningAt(context, grant, { token, hash });
    if (meaning === "stolen") return endStolen(context, grant);
    if (meaning === "unknown") throw ended();
    if (shown.resource !== null && shown.resource !== grant.resource) throw invalidTarget(grant.resource);
    if (round === 0) await admit(grant.id);
    const idle = context.settings.GRANT_IDLE_DAYS * DAY_MS;
    const asked = { grantId: grant.id, shown: hash, successor: next, token: access.row, idle };
    grant = await rotateGrant(context.db, asked);
    if (grant?.previous !== hash || !grant.isLive) continue;
    const successor =
      grant.derivedWith === next.derivedWith ? next : await successorOf(context.settings, token, grant.derivedWith);
    if (successor === null) throw ended();
    return issued(grant, access, successor);
  }
  throw new GatewayError(
    "unavailable",
    "BUSY",
    "Too many simultaneous refreshes of this grant. Try again in a moment.",
  );
}

function meaningAt(
  { settings }: SignInContext,
  grant: GrantState,
  { token, hash }: { token: RefreshToken; hash: string },
): Promise<ReturnType<typeof meaningOf>> {
  const at = { now: grant.now, grace: settings.OAUTH_REFRESH_GRACE_S * 1_000 };
  return isOwnRefresh(settings, token).then((isOwn) =>
    meaningOf(grant, { hash, generation: isOwn ? token.generation : null }, at),
  );
}

async function endStolen(context: SignInContext, { id, userId }: GrantState): Promise<never> {
  await endRecorded(context, { userId, grantId: id }, "reuse");
  throw ended();
}

async function usedAgain(context: SignInContext, grantId: string): Promise<never> {
  const grant = await readGrant(context.db, grantId);
  if (grant !== null) await endRecorded(context, { userId: grant.userId, grantId }, "code_reuse");
  throw invalidGrant("The code was already used, so its grant was revoked. Sign in again.");
}

/** Ends a grant at the request of a holder of its token. */
export async function endRecorded(
  context: SignInContext,
  whose: { userId: string; grantId: string },
  why: "reuse" | "code_reuse" | "revoked",
): Promise<void> {
  const recorded = recordingIn(context, whose, { action: "grant.end", after: { why }, when: "was" });
  await endGrant(recorded, whose.grantId, why);
}

function recordingIn(
  context: SignInContext,
  { userId, grantId }: { userId: string; grantId: string },
  { action, after, when }: Pick<AuditEntry, "action" | "after"> & { when: "is" | "was" },
) {
  const pseudonyms = { pseudonym: context.newId("usr"), otherPseudonym: context.newId("usr") };
  const actor: Actor = { userId, keyId: grantId, requestId: context.requestId, ...pseudonyms };
  const entry = { action, resourceType: "grant", resourceId: grantId, before: null, after, about: null } as const;
  return recording(context.db, actor, { ...entry, when: { thing: when, type: "grant", id: grantId } });
}

interface MadeAccess {
  text: string;
  row: NewToken;
}

async function accessToken(context: SignInContext): Promise<MadeAccess> {
  const id = context.newId("t").slice(2);
  const text = writeBearer("sga", id, crypto.getRandomValues(new Uint8Array(32)));
  return { text, row: { id, hash: await sha256Hex(text), life: DURATIONS.accessToken } };
}

function issued(grant: GrantState, access: MadeAccess, refresh: MadeRefresh): IssuedTokens {
  const life = Math.min(access.row.life, grant.expiresAt - grant.now);
  return {
    access_token: access.text,
    token_type: "Bearer",
    expires_in: Math.max(0, Math.floor(life / 1_000)),
    refresh_token: refresh.text,
    scope: GRANT_SCOPE,
  };
}

function ended(): GatewayError {
  return invalidGrant("The refresh token expired or was revoked. Sign in again.");
}

function invalidGrant(message: string): GatewayError {
  return new GatewayError("invalid", "INVALID_GRANT", message);
}

function invalidTarget(resource: string): GatewayError {
  return new GatewayError(
    "invalid",
    "INVALID_TARGET",
    `The token was issued for another resource (${resource}). Sign in for this resource.`,
  );
}
