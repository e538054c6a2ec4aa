// Stores API keys and the change counters of scopes in D1.

import { and, desc, eq, isNull, lt, or, sql } from "drizzle-orm";
import { userScope } from "../../domain/access/access";
import { foldName } from "../../domain/package/path";
import type { Database } from "./database";
import { groupMembers, groups } from "./schema/access";
import { counters, now as databaseNow, keys } from "./schema/registry";

export type KeyRow = typeof keys.$inferSelect;
export type NewKey = typeof keys.$inferInsert;

/** Change counters by scope. Scopes that never changed are absent. */
export type Counters = Record<string, number>;

/** Returns a key by id, or `null` if it does not exist or is revoked. */
export async function readKey(db: Database, id: string): Promise<KeyRow | null> {
  const found = await db
    .select()
    .from(keys)
    .where(and(eq(keys.id, id), isNull(keys.revokedAt)));
  return found[0] ?? null;
}

/** Statement that raises the counters of these scopes. It belongs in the batch of the change. */
export function raiseCounters(db: Database, scopes: readonly string[]) {
  return db
    .insert(counters)
    .values([...new Set(scopes)].map((scope) => ({ scope, value: 1 })))
    .onConflictDoUpdate({ target: counters.scope, set: { value: sql`${counters.value} + 1` } });
}

/**
 * Stores a key. Its user becomes a Developer of the named groups unless already a member, and the user's counter rises. Missing groups are
 * created without an owner. Fails with a constraint error if a group's name differs from an existing one only in case.
 */
export async function insertKey(db: Database, key: NewKey & { groups: string[] }): Promise<KeyRow> {
  const member = { userId: key.userId, role: "Developer", createdBy: key.createdBy } as const;
  const named = key.groups.map((name) => ({ name, folded: foldName(name), createdBy: key.createdBy }));
  const [rows] = await db.batch([
    db.insert(keys).values(key).returning(),
    ...named.map((group) => db.insert(groups).values(group).onConflictDoNothing({ target: groups.name })),
    ...named.map(({ name }) =>
      db
        .insert(groupMembers)
        .values({ groupName: name, ...member })
        .onConflictDoNothing(),
    ),
    ...(named.length === 0 ? [] : [raiseCounters(db, [userScope(key.userId)])]),
  ]);
  const [row] = rows;
  if (row === undefined) throw new Error("insert returned no row");
  return row;
}

/** Returns keys that are not revoked, of one user or of everybody, newest first, after the cursor `(createdAt, id)`. */
export function listKeys(
  db: Database,
  userId: string | null,
  limit: number,
  after: { createdAt: number; id: string } | null,
): Promise<KeyRow[]> {
  const older = after === null ? undefined : sql`(${keys.createdAt}, ${keys.id}) < (${after.createdAt}, ${after.id})`;
  const whose = userId === null ? undefined : eq(keys.userId, userId);
  return db
    .select()
    .from(keys)
    .where(and(isNull(keys.revokedAt), whose, older))
    .orderBy(desc(keys.createdAt), desc(keys.id))
    .limit(limit);
}

/** Revokes a key immediately. Returns `false` if there is no such live key. */
export async function revokeKey(db: Database, id: string, now: number): Promise<boolean> {
  const [rows] = await db.batch([
    db
      .update(keys)
      .set({ revokedAt: now })
      .where(and(eq(keys.id, id), isNull(keys.revokedAt)))
      .returning({ id: keys.id }),
  ]);
  return rows.length > 0;
}

/**
 * Creates a successor of a key with the same rights and end, and ends the old key at `until` at the latest. Returns `null` if the key is
 * gone or already has a live successor.
 */
export async function replaceKey(
  db: Database,
  old: KeyRow,
  successor: { id: string; hash: string; createdBy: string },
  until: number,
): Promise<KeyRow | null> {
  const alone = sql`${keys.id} = ${old.id} AND ${keys.revokedAt} IS NULL AND NOT EXISTS (
    SELECT 1 FROM keys AS other WHERE other.user_id = ${old.userId} AND other.replaces = ${old.id} AND other.revoked_at IS NULL)`;
  const [made] = await db.batch([
    db
      .insert(keys)
      .select(
        db
          .select({
            id: sql<string>`${successor.id}`.as("id"),
            hash: sql<string>`${successor.hash}`.as("hash"),
            userId: keys.userId,
            role: keys.role,
            name: keys.name,
            scopes: keys.scopes,
            groups: keys.groups,
            expiresAt: keys.expiresAt,
            createdBy: sql<string>`${successor.createdBy}`.as("created_by"),
            createdAt: sql<number>`${databaseNow}`.as("created_at"),
            revokedAt: sql<null>`NULL`.as("revoked_at"),
            lastUsedAt: sql<null>`NULL`.as("last_used_at"),
            replaces: sql<string>`${old.id}`.as("replaces"),
          })
          .from(keys)
          .where(alone),
      )
      .returning(),
    db
      .update(keys)
      .set({ expiresAt: sql`min(coalesce(${keys.expiresAt}, ${until}), ${until})` })
      .where(sql`${keys.id} = ${old.id} AND EXISTS (SELECT 1 FROM keys AS made WHERE made.id = ${successor.id})`),
  ]);
  return made[0] ?? null;
}

/** Updates the time of last use, at most once per interval. */
export async function noteKeyUse(db: Database, id: string, now: number, since: number): Promise<void> {
  await db
    .update(keys)
    .set({ lastUsedAt: now })
    .where(and(eq(keys.id, id), or(isNull(keys.lastUsedAt), lt(keys.lastUsedAt, since))));
}
