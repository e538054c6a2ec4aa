// The key behind a socket or a ticket, long after the request that brought it: what is kept of it, and whether it still counts.

import { canActAs, type Principal } from "../../domain/access/access";
import { sha256Hex } from "../../domain/digest";
import { GatewayError, isRefusal } from "../../domain/errors";
import type { Settings } from "../../domain/settings/settings";
import { storageDown } from "../../storage/d1/database";
import type { KeyCredential } from "../../storage/d1/identity";
import type { KeyRow } from "../../storage/d1/keys";
import { type Found, findIdentity, type IdentityStores } from "./identity-lookup";

/** The id of the key that comes from the environment, as principals carry it. */
export const ENVIRONMENT_KEY = "env";
/** What stands in place of a key for an issuer's token: this, when its time is over, and a part of its digest. */
export const TOKEN_KEY = "jwt";

const TOKEN_CREDENTIAL = /^jwt:(\d+):[0-9a-f]{16}:([0-9a-f]{16})$/;

/**
 * What to keep of the key behind a principal: its id; of the environment's key and of a token a mark, too, that changes with
 * what the gateway's settings say of them.
 */
export async function credentialOf(settings: Settings, principal: Principal): Promise<string> {
  if (principal.keyId === ENVIRONMENT_KEY) return `${ENVIRONMENT_KEY}:${await environmentMark(settings)}`;
  if (principal.keyId.startsWith(`${TOKEN_KEY}:`)) return `${principal.keyId}:${await issuerMark(settings)}`;
  return principal.keyId;
}

/** When the issuer's token ends that stands in place of a key; `null` where it is a key. */
export function tokenEnd(keyId: string): number | null {
  return keyId.startsWith(`${TOKEN_KEY}:`) ? Number(keyId.split(":")[1]) : null;
}

/** Whether a key that is not revoked still counts. */
export function isUsable<Key extends Pick<KeyRow, "expiresAt">>(key: Key | null, now: number): key is Key {
  return key !== null && (key.expiresAt === null || key.expiresAt > now);
}

/** Whether the key still counts and may still speak for this user. Asks D1, near before far. Throws when storage does not answer. */
export async function isLive(places: IdentityStores, credential: string, userId: string): Promise<boolean> {
  const { settings, now } = places;
  if (credential.startsWith(`${ENVIRONMENT_KEY}:`)) {
    return credential === `${ENVIRONMENT_KEY}:${await environmentMark(settings)}`;
  }
  const token = TOKEN_CREDENTIAL.exec(credential);
  if (token !== null) return Number(token[1]) > now() && token[2] === (await issuerMark(settings));
  const marks = await currentSessionMarks(settings);
  const judge = ({ key, stale }: Found): true => {
    if (stale) throw storageDown();
    if (isUsable(key, now()) && isSessionOriginValid(marks, key) && (key.userId === userId || canActAs(key)))
      return true;
    throw new GatewayError("unauthenticated", "UNAUTHENTICATED", "The key does not count any more.");
  };
  const asked = { keyId: credential, userId, claimed: [] };
  try {
    return await findIdentity(places, { asked, trust: "remembered", least: null, judge });
  } catch (error) {
    if (isRefusal(error)) return false;
    throw error;
  }
}

/** What sessions that come from no stored key must have one of: it changes with what the settings say of the environment's key, and of the issuer. */
export interface SessionMarks {
  environment: string;
  issuer: string;
}

export async function currentSessionMarks(settings: Settings): Promise<SessionMarks> {
  return {
    environment: `${ENVIRONMENT_KEY}:${await environmentMark(settings)}`,
    issuer: `${TOKEN_KEY}:${await issuerMark(settings)}`,
  };
}

/** Whether the settings still say of a session's origin what they said when it began; true of what is no session. */
export function isSessionOriginValid(
  { environment, issuer }: SessionMarks,
  { session }: Pick<KeyCredential, "session">,
): boolean {
  const mark = session?.mark ?? null;
  return mark === null || mark === environment || mark === issuer;
}

/**
 * The same as `credentialOf` for what lasts: of a session the key that it comes from, since what its user makes in it is not to end with it.
 * `null` where nothing lasts: a token, a session that the issuer has begun, or the link of somebody's key.
 */
export async function lastingCredential(settings: Settings, principal: Principal): Promise<string | null> {
  const { session, keyId } = principal;
  if (keyId.startsWith(`${TOKEN_KEY}:`)) return null;
  if (session === undefined) return credentialOf(settings, principal);
  if (session.via === "key" && session.keyId !== null) return session.keyId;
  return session.mark?.startsWith(`${ENVIRONMENT_KEY}:`) ? session.mark : null;
}

function environmentMark(settings: Settings): Promise<string> {
  return markOf(settings.GATEWAY_ADMIN_KEY ?? "");
}

/** Another issuer, other audiences or no issuer at all: what the old ones admitted must leave. */
function issuerMark({ JWT_ISSUER, JWT_AUDIENCE, JWT_JWKS_URL }: Settings): Promise<string> {
  return markOf(JSON.stringify([JWT_ISSUER ?? null, JWT_AUDIENCE, JWT_JWKS_URL ?? null]));
}

async function markOf(text: string): Promise<string> {
  return (await sha256Hex(text)).slice(0, 16);
}
