// Checks whether the key behind a socket, ticket or stored resource is still valid, long after the request that presented it.

import { canActAs, type Principal } from "../../domain/access/access";
import { sha256Hex } from "../../domain/digest";
import { GatewayError, isRefusal } from "../../domain/errors";
import type { Settings } from "../../domain/settings/settings";
import { storageDown } from "../../storage/d1/database";
import type { KeyCredential } from "../../storage/d1/identity";
import type { KeyRow } from "../../storage/d1/keys";
import { type Found, findIdentity, type IdentityStores } from "./identity-lookup";

/** The id that principals carry for the key from the environment. */
export const ENVIRONMENT_KEY = "env";
/** Prefix of the credential stored for an issuer's token: the prefix, its expiry, and a part of its digest. */
export const TOKEN_KEY = "jwt";

const TOKEN_CREDENTIAL = /^jwt:(\d+):[0-9a-f]{16}:([0-9a-f]{16})$/;

/**
 * Returns what to store of the key behind a principal: its id. For the environment's key and for tokens it includes a digest of the related
 * settings, so that a change of settings invalidates it.
 */
export async function credentialOf(settings: Settings, principal: Principal): Promise<string> {
  if (principal.keyId === ENVIRONMENT_KEY) return `${ENVIRONMENT_KEY}:${await environmentMark(settings)}`;
  if (principal.keyId.startsWith(`${TOKEN_KEY}:`)) return `${principal.keyId}:${await issuerMark(settings)}`;
  return principal.keyId;
}

/** Returns the expiry of the issuer's token that the credential stands for; `null` for a key. */
export function tokenEnd(keyId: string): number | null {
  return keyId.startsWith(`${TOKEN_KEY}:`) ? Number(keyId.split(":")[1]) : null;
}

/** Whether a key that is not revoked has not expired. */
export function isUsable<Key extends Pick<KeyRow, "expiresAt">>(key: Key | null, now: number): key is Key {
  return key !== null && (key.expiresAt === null || key.expiresAt > now);
}

/** Whether the key is valid and can still act for this user. Reads D1, the nearest replica first. Throws if storage does not answer. */
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
    throw new GatewayError("unauthenticated", "UNAUTHENTICATED", "The key expired or was revoked. Use another key.");
  };
  const asked = { keyId: credential, userId, claimed: [] };
  try {
    return await findIdentity(places, { asked, trust: "remembered", least: null, judge });
  } catch (error) {
    if (isRefusal(error)) return false;
    throw error;
  }
}

/** Digests of the settings for the environment's key and the issuer. A session without a stored key must match one of them. */
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

/** Whether the settings that a session depends on are unchanged; true for other credentials. */
export function isSessionOriginValid(
  { environment, issuer }: SessionMarks,
  { session }: Pick<KeyCredential, "session">,
): boolean {
  const mark = session?.mark ?? null;
  return mark === null || mark === environment || mark === issuer;
}

/**
 * Like `credentialOf`, for resources that outlive a session: returns the key that the session comes from. Returns `null` if nothing lasting
 * exists: for a token, a session started by the issuer, or a link of somebody's key.
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

/** Digest of the issuer's settings. A change of issuer or audience invalidates what the old ones admitted. */
function issuerMark({ JWT_ISSUER, JWT_AUDIENCE, JWT_JWKS_URL }: Settings): Promise<string> {
  return markOf(JSON.stringify([JWT_ISSUER ?? null, JWT_AUDIENCE, JWT_JWKS_URL ?? null]));
}

async function markOf(text: string): Promise<string> {
  return (await sha256Hex(text)).slice(0, 16);
}
