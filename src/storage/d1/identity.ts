// What a request must know of its caller, in one round trip: its key, its user's memberships, and the change counters of all it may see.

import * as z from "zod";
import { type GroupRole, groupOfScope, type Membership } from "../../domain/access/access";
import { ACCESS_LIMITS } from "../../domain/limits";
import type { GuardedSession } from "./database";
import type { Counters, KeyRow } from "./keys";

/** Whom a request is about. */
export interface Identity {
  /** The key it brought; empty when it brought none of ours. */
  keyId: string;
  /** The user it speaks for; `null`: the key's own. */
  userId: string | null;
  /** Groups that the user's token claims. Those that do not exist do not count. */
  claimed: readonly Membership[];
}

const scopesSchema = z.array(z.string());

/** What a request needs of a stored key. */
export type HeldKey = Readonly<Pick<KeyRow, "id" | "hash" | "userId" | "role" | "expiresAt" | "lastUsedAt">> & {
  readonly scopes: readonly string[];
};

/** A scope the user sees, and beside each of them the key. */
interface Row {
  scope: string | null;
  role: GroupRole | null;
  since: number;
  value: number | null;
  id: string | null;
  hash: string;
  user_id: string;
  key_role: KeyRow["role"];
  scopes: string;
  expires_at: number | null;
  last_used_at: number | null;
}

/** When one came to be a member by a token's claim: after all others. */
const CLAIMED = Number.MAX_SAFE_INTEGER;

/** Written out since every request runs it: to have drizzle build it takes longer than to run it. ?1 key, ?2 user, ?3 claims. */
const IDENTITY = `WITH asked AS (SELECT coalesce(?2, (SELECT user_id FROM keys WHERE id = ?1)) AS user_id)
SELECT seen.scope, seen.role, seen.since, counters.value,
  held.id, held.hash, held.user_id, held.role AS key_role, held.scopes, held.expires_at, held.last_used_at
FROM (
  SELECT 'public' AS scope, NULL AS role, 0 AS since
  UNION ALL SELECT 'user:' || user_id, NULL, 0 FROM asked
  UNION ALL SELECT 'group:' || group_name, role, created_at FROM group_members WHERE user_id = (SELECT user_id FROM asked)
  UNION ALL SELECT 'group:' || groups.name, claim.value ->> 'role', ${CLAIMED}
    FROM json_each(?3) AS claim CROSS JOIN groups ON groups.name = claim.value ->> 'group'
) AS seen
LEFT JOIN counters ON counters.scope = seen.scope
LEFT JOIN keys AS held ON held.id = ?1 AND held.revoked_at IS NULL`;

/**
 * One round trip: the key (`null` when there is none, or it is revoked), the user's memberships in rank order, and the change
 * counters of public, the user's scope and the groups'. Whether the key may speak for that user is for the caller to decide.
 */
export async function readIdentity(
  session: GuardedSession,
  { keyId, userId, claimed }: Identity,
): Promise<{ key: HeldKey | null; groups: Membership[]; counters: Counters }> {
  const { results } = await session.prepare(IDENTITY).bind(keyId, userId, JSON.stringify(claimed)).all<Row>();
  const counters: Counters = {};
  for (const { scope, value } of results) if (scope !== null && value !== null) counters[scope] = value;
  return { key: keyIn(results[0]), groups: ranked(results), counters };
}

function keyIn(row: Row | undefined): HeldKey | null {
  if (row === undefined || row.id === null) return null;
  return {
    id: row.id,
    hash: row.hash,
    userId: row.user_id,
    role: row.key_role,
    scopes: scopesSchema.parse(JSON.parse(row.scopes)),
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
  };
}

/** Older memberships first, so that a group one is added to never hides what one's other groups have; claims come last. */
function ranked(rows: readonly { scope: string | null; role: GroupRole | null; since: number }[]): Membership[] {
  const found = new Map<string, { membership: Membership; since: number }>();
  for (const { scope, role, since } of rows) {
    const group = scope === null ? null : groupOfScope(scope);
    if (group === null || role === null || (found.get(group)?.since ?? Number.POSITIVE_INFINITY) <= since) continue;
    found.set(group, { membership: { group, role, ...(since === CLAIMED ? { claimed: true } : {}) }, since });
  }
  const ordered = [...found.values()].sort(
    (a, b) => a.since - b.since || (a.membership.group < b.membership.group ? -1 : 1),
  );
  return ordered.slice(0, ACCESS_LIMITS.groupsOfUser).map(({ membership }) => membership);
}
