// Deletes remains of failed publishes. A scheduled handler runs it; concurrent runs are harmless.

import { DURATIONS } from "../../domain/durations";
import { dropReplies } from "../../storage/d1/idempotency";
import { existingVersions } from "../../storage/d1/versions";
import { deletePackages, listPackages } from "../../storage/r2/packages";
import type { Context } from "../context";

/** The context of the sweep, which has no caller. */
export type SweepContext = Pick<Context, "db" | "packages" | "timings" | "now">;

/**
 * Deletes packages without a version row that are older than the grace period, page by page, and expired idempotency keys. A publish
 * commits within `DURATIONS.publish` (a table constraint enforces it), so an orphan older than `DURATIONS.orphanGrace` stays one. Returns
 * the number of deleted objects.
 */
export async function sweep(context: SweepContext): Promise<number> {
  const { db, packages: bucket, timings } = context;
  const settled = context.now() - DURATIONS.orphanGrace;
  let deleted = 0;
  let cursor: string | null = null;
  do {
    const page = await listPackages(bucket, timings, cursor);
    const old = page.packages.filter((stored) => stored.uploaded < settled);
    const known =
      old.length === 0
        ? new Set()
        : await existingVersions(
            db,
            old.map((stored) => stored.versionId),
          );
    const orphans = old.filter((stored) => !known.has(stored.versionId)).map((stored) => stored.key);
    await deletePackages(bucket, timings, orphans);
    deleted += orphans.length;
    cursor = page.cursor;
  } while (cursor !== null);
  await dropReplies(db, context.now() - DURATIONS.idempotency);
  return deleted;
}
