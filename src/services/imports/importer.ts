// Determines the identity an import runs with, at each slice: its key, and its user's groups and role. If the key ends, the import ends.

import { ADMIN_USER, canActAs, may, type Principal } from "../../domain/access/access";
import { allows, limitsOf } from "../../domain/access/key-scope";
import { GatewayError, isRefusal } from "../../domain/errors";
import { storageDown } from "../../storage/d1/database";
import type { ImportRow } from "../../storage/d1/imports/imports";
import { credentialOf, ENVIRONMENT_KEY, isUsable } from "../access/credential";
import { type Found, findIdentity, type IdentityStores } from "../access/identity-lookup";
import type { Caller } from "../context";

type Runner = Pick<ImportRow, "userId" | "credential" | "scope">;

/** Returns the caller that the import acts as; `null` if it lost its rights. Reads the primary. */
export async function importerOf(places: IdentityStores, runner: Runner): Promise<Omit<Caller, "requestId"> | null> {
  const { userId, credential, scope } = runner;
  const isEnvironment = credential.startsWith(`${ENVIRONMENT_KEY}:`);
  if (isEnvironment && credential !== (await credentialOf(places.settings, OPERATOR))) return null;
  const judge = ({ key, groups, counters, asOf, stale }: Found) => {
    if (stale) throw storageDown();
    const held = isEnvironment ? { ...OPERATOR, expiresAt: null } : key;
    if (!isUsable(held, places.now()) || (held.userId !== userId && !canActAs(held))) throw ended();
    const isOwn = held.userId === userId;
    const principal: Principal = {
      ...{ userId, groups, keyId: isEnvironment ? ENVIRONMENT_KEY : credential },
      ...{ role: isOwn ? held.role : "user", scopes: isOwn ? held.scopes : limitsOf(held.scopes) },
    };
    if (!allows(principal.scopes, "skills:write") || !may(principal, "define", scope)) throw ended();
    return { principal, counters, asOf, stale };
  };
  const asked = { keyId: isEnvironment ? "" : credential, userId, claimed: [] };
  try {
    return await findIdentity(places, { asked, trust: "certain", least: null, judge });
  } catch (error) {
    if (isRefusal(error)) return null;
    throw error;
  }
}

const OPERATOR: Principal = {
  ...{ userId: ADMIN_USER, role: "admin", groups: [], scopes: ["act_as"], keyId: ENVIRONMENT_KEY },
};

function ended(): GatewayError {
  return new GatewayError(
    "unauthenticated",
    "IMPORTER_ENDED",
    "The owner of this import lost the right to run it. Start it again with a key that has the right.",
  );
}
