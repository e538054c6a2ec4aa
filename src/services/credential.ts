// The key behind a socket or a ticket, long after the request that brought it: what is kept of it, and whether it still counts.

import { canActAs, type Principal } from "../domain/access";
import { sha256Hex } from "../domain/digest";
import type { Settings } from "../domain/settings";
import type { Database } from "../storage/database";
import { type KeyRow, readKey } from "../storage/keys";

/** The id of the key that comes from the environment, as principals carry it. */
export const ENVIRONMENT_KEY = "env";

/** What to keep of the key behind a principal: its id, and of the environment's key a mark that changes with it. */
export async function credentialOf(settings: Settings, principal: Principal): Promise<string> {
  return principal.keyId === ENVIRONMENT_KEY ? markOf(settings) : principal.keyId;
}

/** Whether a key that is not revoked still counts. */
export function isUsable(key: KeyRow | null, now: number): key is KeyRow {
  return key !== null && (key.expiresAt === null || key.expiresAt > now);
}

/** Whether the key still counts and may still speak for this user. Asks D1. */
export async function isLive(
  db: Database,
  settings: Settings,
  credential: string,
  userId: string,
  now: number,
): Promise<boolean> {
  if (credential.startsWith(`${ENVIRONMENT_KEY}:`)) return credential === (await markOf(settings));
  const key = await readKey(db, credential);
  return isUsable(key, now) && (key.userId === userId || canActAs(key));
}

async function markOf(settings: Settings): Promise<string> {
  return `${ENVIRONMENT_KEY}:${(await sha256Hex(settings.GATEWAY_ADMIN_KEY ?? "")).slice(0, 16)}`;
}
