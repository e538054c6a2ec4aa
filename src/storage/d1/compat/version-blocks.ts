// Stores which versions an admin has blocked.

import { eq, sql } from "drizzle-orm";
import type { Database } from "../database";
import { versionBlocks } from "../schema/compat";
import { now as databaseNow, versions } from "../schema/registry";

export type VersionBlock = typeof versionBlocks.$inferSelect;

/** SQL, next to `versions`: the reason for a block; `null` if not blocked. */
export const blockedFor = sql<string | null>`(SELECT reason FROM ${versionBlocks}
  WHERE version_id = ${versions.id})`.as("blocked_for");

/** SQL, next to `versions`: the version is blocked. */
export const isBlocked = sql`EXISTS (SELECT 1 FROM ${versionBlocks} WHERE version_id = ${versions.id})`;

/** Returns the block of a version, or `null`. */
export async function readBlock(db: Database, versionId: string): Promise<VersionBlock | null> {
  const [found] = await db.select().from(versionBlocks).where(eq(versionBlocks.versionId, versionId));
  return found ?? null;
}

/**
 * Blocks a version or changes the reason. Runs as a batch so that an audit record can be added. Returns `null` if the version was deleted.
 */
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

/** Removes the block of a version. Returns `false` if it had none. */
export async function deleteBlock(db: Database, versionId: string): Promise<boolean> {
  const [gone] = await db.batch([
    db
      .delete(versionBlocks)
      .where(eq(versionBlocks.versionId, versionId))
      .returning({ versionId: versionBlocks.versionId }),
  ]);
  return gone.length > 0;
}
