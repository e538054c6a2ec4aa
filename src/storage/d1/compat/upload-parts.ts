// Files that are uploaded one by one before they are published together: which there are, and whose. Their bytes are in R2.

import { and, eq, gte, lt, sql } from "drizzle-orm";
import type { Database } from "../database";
import { uploadParts } from "../schema/compat";

export type UploadPart = typeof uploadParts.$inferSelect;

/** Writes a row while there is room for its user: so many parts and bytes since then. `false`: there was none. */
export async function reservePart(
  db: Database,
  { id, userId, sha256, size, createdAt }: UploadPart,
  { since, parts, bytes }: { since: number; parts: number; bytes: number },
): Promise<boolean> {
  const recent = sql`FROM ${uploadParts} WHERE user_id = ${userId} AND created_at >= ${since}`;
  const written = await db
    .insert(uploadParts)
    .select(
      sql`SELECT ${id}, ${userId}, ${sha256}, ${size}, ${createdAt}
        WHERE (SELECT count(*) ${recent}) < ${parts} AND (SELECT coalesce(sum(size), 0) ${recent}) + ${size} <= ${bytes}`,
    )
    .returning({ id: uploadParts.id });
  return written.length > 0;
}

/** Parts of a user by id that were asked for since then. Another's are not there. */
export function readUploadParts(
  db: Database,
  userId: string,
  ids: readonly string[],
  since: number,
): Promise<UploadPart[]> {
  return db
    .select()
    .from(uploadParts)
    .where(
      and(
        sql`${uploadParts.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
        eq(uploadParts.userId, userId),
        gte(uploadParts.createdAt, since),
      ),
    );
}

/** Deletes rows, whose objects are gone by then. */
export async function deleteUploadParts(db: Database, ids: readonly string[]): Promise<void> {
  await db.delete(uploadParts).where(sql`${uploadParts.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`);
}

/** Forgets parts that were asked for before then. */
export async function deleteExpiredParts(db: Database, before: number): Promise<void> {
  await db.delete(uploadParts).where(lt(uploadParts.createdAt, before));
}
