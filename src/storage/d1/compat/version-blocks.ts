// Versions that an admin has blocked.

import { eq, sql } from "drizzle-orm";
import type { Database } from "../database";
import { versionBlocks } from "../schema/compat";
import { now as databaseNow, versions } from "../schema/registry";

export type VersionBlock = typeof versionBlocks.$inferSelect;

/** SQL, beside `versions`: why a version is blocked; `null` of one that is not. */
export const blockedFor = sql<string | null>`(SELECT reason FROM ${versionBlocks}
  WHERE version_id = ${versions.id})`.as("blocked_for");

/** SQL, beside `versions`: a version is blocked. */
export const isBlocked = sql`EXISTS (SELECT 1 FROM ${versionBlocks} WHERE version_id = ${versions.id})`;

/** The block of a version; `null` where it has none. */
export async function readBlock(db: Database, versionId: string): Promise<VersionBlock | null> {
  const [found] = await db.select().from(versionBlocks).where(eq(versionBlocks.versionId, versionId));
  return found ?? null;
}

/** Blocks a version, or says another reason. A batch, so that a record of it can go along. `null`: the version is gone. */
export async function putBlock(
  db: Database,
  versionId: string,
  reason: string,
  createdBy: string,
): Promise<VersionBlock | null> {
  const [written] = await db.batch([
    db
      .insert(versionBlocks)
      .select(
        sql`SELECT ${versionId}, ${reason}, ${createdBy}, ${databaseNow} FROM ${versions} WHERE ${versions.id} = ${versionId}`,
      )
      .onConflictDoUpdate({ target: versionBlocks.versionId, set: { reason, createdBy } })
      .returning(),
  ]);
  return written[0] ?? null;
}

/** Takes the block of a version away. `false`: there was none. */
export async function deleteBlock(db: Database, versionId: string): Promise<boolean> {
  const [gone] = await db.batch([
    db
      .delete(versionBlocks)
      .where(eq(versionBlocks.versionId, versionId))
      .returning({ versionId: versionBlocks.versionId }),
  ]);
  return gone.length > 0;
}
