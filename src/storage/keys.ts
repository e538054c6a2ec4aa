// API keys in D1, and the one round trip that a request costs: its key and the change counters of all it may see.

import { and, desc, eq, isNull, lt, or, sql } from "drizzle-orm";
import type { Database } from "./database";
import { counters, keys } from "./schema";

export type KeyRow = typeof keys.$inferSelect;
export type NewKey = typeof keys.$inferInsert;

/** The change counters of the scopes a caller sees, by scope. A scope nobody ever changed is absent. */
export type Counters = Record<string, number>;

/**
 * One query: the key (`null` when there is none, or it is revoked) and the counters of public, its user's, its groups' and,
 * for a service acting for somebody, that user's scope. Whether the key may act for that user is for the caller to decide.
 */
export async function readKeyAndCounters(
  db: Database,
  keyId: string,
  extraScopes: readonly string[],
): Promise<{ key: KeyRow | null; counters: Counters }> {
  const [found, counted] = await db.batch([
    db
      .select()
      .from(keys)
      .where(and(eq(keys.id, keyId), isNull(keys.revokedAt))),
    db
      .select()
      .from(counters)
      .where(
        sql`${counters.scope} IN (
          SELECT value FROM json_each(${JSON.stringify(["public", ...extraScopes])})
          UNION ALL SELECT 'user:' || user_id FROM keys WHERE id = ${keyId}
          UNION ALL SELECT 'group:' || member.value FROM keys, json_each(keys.groups) AS member WHERE keys.id = ${keyId})`,
      ),
  ]);
  return { key: found[0] ?? null, counters: Object.fromEntries(counted.map((row) => [row.scope, row.value])) };
}

/** A key by id; `null` when there is none, or it is revoked. */
export async function readKey(db: Database, id: string): Promise<KeyRow | null> {
  const found = await db
    .select()
    .from(keys)
    .where(and(eq(keys.id, id), isNull(keys.revokedAt)));
  return found[0] ?? null;
}

/** A statement that raises the counters of these scopes; it belongs in the batch of the change it announces. */
export function raiseCounters(db: Database, scopes: readonly string[]) {
  return db
    .insert(counters)
    .values([...new Set(scopes)].map((scope) => ({ scope, value: 1 })))
    .onConflictDoUpdate({ target: counters.scope, set: { value: sql`${counters.value} + 1` } });
}

export async function insertKey(db: Database, key: NewKey): Promise<KeyRow> {
  const [row] = await db.insert(keys).values(key).returning();
  if (row === undefined) throw new Error("insert returned no row");
  return row;
}

/** Keys that were not revoked, newest first, after the cursor's `(createdAt, id)`. */
export function listKeys(
  db: Database,
  limit: number,
  after: { createdAt: number; id: string } | null,
): Promise<KeyRow[]> {
  const older =
    after === null
      ? undefined
      : or(lt(keys.createdAt, after.createdAt), and(eq(keys.createdAt, after.createdAt), lt(keys.id, after.id)));
  return db
    .select()
    .from(keys)
    .where(and(isNull(keys.revokedAt), older))
    .orderBy(desc(keys.createdAt), desc(keys.id))
    .limit(limit);
}

/** Revokes a key at once; `false` when there is no such live key. */
export async function revokeKey(db: Database, id: string, now: number): Promise<boolean> {
  const rows = await db
    .update(keys)
    .set({ revokedAt: now })
    .where(and(eq(keys.id, id), isNull(keys.revokedAt)))
    .returning({ id: keys.id });
  return rows.length > 0;
}
