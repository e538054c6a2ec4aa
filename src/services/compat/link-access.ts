// Resolves a read-only link: it grants what its creator can read at this time, restricted to what the link names.

import { ADMIN_USER, canActAs, type Principal } from "../../domain/access/access";
import { readLinkId } from "../../domain/compat/link";
import { sha256Hex } from "../../domain/digest";
import { GatewayError, isRefusal } from "../../domain/errors";
import { readSharedLink, type SharedLinkRow } from "../../storage/d1/compat/links";
import type { Database } from "../../storage/d1/database";
import { storageDown } from "../../storage/d1/database";
import { credentialOf, ENVIRONMENT_KEY, isUsable } from "../access/credential";
import { type Found, findIdentity, type IdentityStores } from "../access/identity-lookup";
import type { Caller } from "../context";
import { notInIndex } from "./published-index";

/** Result of opening a token. `guessed`: no such link ever existed. `null`: the link ended, or its creator lost the right. */
export type OpenedLink = { link: SharedLinkRow; caller: Omit<Caller, "requestId"> } | "guessed" | null;

/** Where links are read: the nearest replica first, and the primary before a negative answer. */
export interface LinkStores extends IdentityStores {
  nearest: Database;
  certain(): Database;
}

export async function openSharedLink(places: LinkStores, token: string): Promise<OpenedLink> {
  const id = readLinkId(token);
  if (id === null) return "guessed";
  const hash = await sha256Hex(token);
  const near = await readSharedLink(places.nearest, id);
  const link = isLive(near, hash, places.now()) ? near : await readSharedLink(places.certain(), id);
  // A digest of 256 random bits: a non-constant-time comparison reveals nothing useful.
  if (link === null || link.hash !== hash) return "guessed";
  if (!isLive(link, hash, places.now())) return null;
  const caller = await makerOf(places, link);
  return caller === null ? null : { link, caller };
}

function isLive(link: SharedLinkRow | null, hash: string, now: number): link is SharedLinkRow {
  return link !== null && link.hash === hash && link.revokedAt === null && link.expiresAt > now;
}

/** Returns the link's creator as a read-only caller; `null` if its key is no longer valid. */
async function makerOf(places: LinkStores, link: SharedLinkRow): Promise<Omit<Caller, "requestId"> | null> {
  const { userId, credential } = link;
  const isEnvironment = credential.startsWith(`${ENVIRONMENT_KEY}:`);
  if (isEnvironment && credential !== (await credentialOf(places.settings, ENVIRONMENT))) return null;
  const judge = ({ key, groups, counters, asOf, stale }: Found) => {
    if (stale) throw storageDown();
    const isGood = isEnvironment || (isUsable(key, places.now()) && (key.userId === userId || canActAs(key)));
    if (!isGood) throw notInIndex();
    const principal: Principal = { userId, role: "user", groups, scopes: ["skills:read"], keyId: `link:${link.id}` };
    return { principal, counters, asOf, stale };
  };
  const asked = { keyId: isEnvironment ? "" : credential, userId, claimed: [] };
  try {
    return await findIdentity(places, { asked, trust: "remembered", least: null, judge });
  } catch (error) {
    if (error instanceof GatewayError && isRefusal(error)) return null;
    throw error;
  }
}

const ENVIRONMENT: Principal = { userId: ADMIN_USER, role: "admin", groups: [], scopes: [], keyId: ENVIRONMENT_KEY };
