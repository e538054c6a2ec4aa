// The one round trip that a request costs: its key, its user's memberships, and the change counters of all it may see.

import { and, eq, isNull, sql } from "drizzle-orm";
import { type GroupRole, groupOfScope, type Membership } from "../domain/access";
import { ACCESS_LIMITS } from "../domain/limits";
import type { Database } from "./database";
import type { Counters, KeyRow } from "./keys";
import { counters, keys } from "./schema";

/** Whom a request is about. */
export interface Identity {
  /** The key it brought; empty when it brought none of ours. */
  keyId: string;
  /** The user it speaks for; `null`: the key's own. */
  userId: string | null;
  /** Groups that the user's token claims. Those that do not exist do not count. */
  claimed: readonly Membership[];
}

/**
 * One round trip: the key (`null` when there is none, or it is revoked), the user's memberships in rank order, and the change
 * counters of public, the user's scope and the groups'. Whether the key may speak for that user is for the caller to decide.
 */
export async function readIdentity(
  db: Database,
  { keyId, userId, claimed }: Identity,
): Promise<{ key: KeyRow | null; groups: Membership[]; counters: Counters }> {
  const user = sql`coalesce(${userId}, (SELECT user_id FROM keys WHERE id = ${keyId}))`;
  const claims =
    claimed.length === 0
      ? sql``
      : sql`UNION ALL SELECT 'group:' || groups.name, claim.value ->> 'role', ${Number.MAX_SAFE_INTEGER}
          FROM json_each(${JSON.stringify(claimed)}) AS claim CROSS JOIN groups ON groups.name = claim.value ->> 'group'`;
  const seen = sql`(
    SELECT 'public' AS scope, NULL AS role, 0 AS since UNION ALL SELECT 'user:' || ${user}, NULL, 0
    UNION ALL SELECT 'group:' || group_name, role, created_at FROM group_members WHERE user_id = ${user} ${claims}) AS seen`;
  const [found, rows] = await db.batch([
    db
      .select()
      .from(keys)
      .where(and(eq(keys.id, keyId), isNull(keys.revokedAt))),
    db
      .select({
        scope: sql<string | null>`seen.scope`.as("seen_scope"),
        role: sql<GroupRole | null>`seen.role`.as("seen_role"),
        since: sql<number>`seen.since`.as("seen_since"),
        value: counters.value,
      })
      .from(seen)
      .leftJoin(counters, sql`${counters.scope} = seen.scope`),
  ]);
  const counted = rows.flatMap(({ scope, value }) =>
    scope === null || value === null ? [] : [[scope, value] as const],
  );
  return { key: found[0] ?? null, groups: ranked(rows), counters: Object.fromEntries(counted) };
}

/** Older memberships first, so that a group one is added to never hides what one's other groups have; claims come last. */
function ranked(rows: readonly { scope: string | null; role: GroupRole | null; since: number }[]): Membership[] {
  const found = new Map<string, { membership: Membership; since: number }>();
  for (const { scope, role, since } of rows) {
    const group = scope === null ? null : groupOfScope(scope);
    if (group === null || role === null || (found.get(group)?.since ?? Number.POSITIVE_INFINITY) <= since) continue;
    found.set(group, { membership: { group, role }, since });
  }
  const ordered = [...found.values()].sort(
    (a, b) => a.since - b.since || (a.membership.group < b.membership.group ? -1 : 1),
  );
  return ordered.slice(0, ACCESS_LIMITS.groupsOfUser).map(({ membership }) => membership);
}
