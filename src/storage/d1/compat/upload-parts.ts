// Stores rows of files that are uploaded one by one and published together. Their bytes are in R2.

import { and, eq, gte, lt, sql } from "drizzle-orm";
import type { Database } from "../database";
import { uploadParts } from "../schema/compat";

export type UploadPart = typeof uploadParts.$inferSelect;

/** Writes a row while the user is below the limits of parts and bytes since `since`. Returns `false` otherwise. */
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

/** Returns a user's parts by id, if requested since `since`. Other users' parts are absent. */
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

/** Deletes rows whose objects are already deleted. */
export async function deleteUploadParts(db: Database, ids: readonly string[]): Promise<void> {
  await db.delete(uploadParts).where(sql`${uploadParts.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`);
}

/** Deletes parts requested before this time. */
export async function deleteExpiredParts(db: Database, before: number): Promise<void> {
  await db.delete(uploadParts).where(lt(uploadParts.createdAt, before));
}
