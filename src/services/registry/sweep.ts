// Removing what failed publishes left behind. A scheduled handler runs it; running it twice at once does no harm.

import { DURATIONS } from "../../domain/durations";
import { dropReplies } from "../../storage/d1/idempotency";
import { existingVersions } from "../../storage/d1/versions";
import { deletePackages, listPackages } from "../../storage/r2/packages";
import type { Context } from "../context";

/** What the sweep needs of a context: nobody calls it, so it has no caller. */
export type SweepContext = Pick<Context, "db" | "packages" | "timings" | "now">;

/**
 * Deletes packages that are older than the grace period and have no version row, page by page, and forgets old idempotency
 * keys. No publish commits later than `DURATIONS.publish` after it began (the table's check holds that), so what is an orphan
 * after `DURATIONS.orphanGrace` stays one. Returns how many objects it deleted.
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
