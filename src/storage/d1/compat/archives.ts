// Reads and stores the archives of versions for other clients, by version and by digest.

import { and, eq, isNull, not, sql } from "drizzle-orm";
import type { Database } from "../database";
import { versionArchives, type versionPlugins } from "../schema/compat";
import { skills, versions } from "../schema/registry";
import { isPublishable, type PublishedQuery } from "./published-index";
import { isBlocked } from "./version-blocks";

/** An archive's row. */
export interface Archive {
  sha256: string;
  size: number;
}

/** The tables of both archive kinds have the same columns. */
export type VersionArchiveTable = typeof versionArchives | typeof versionPlugins;

/** Stores archives of versions that have none. An existing archive stays; deleted versions get none. */
export async function keepArchives(
  db: Database,
  archives: readonly (Archive & { versionId: string })[],
  table: VersionArchiveTable = versionArchives,
): Promise<void> {
  await db.run(sql`INSERT INTO ${table} (version_id, sha256, size)
    SELECT v.id, a.value ->> 'sha256', a.value ->> 'size' FROM json_each(${JSON.stringify(archives)}) AS a
    CROSS JOIN ${versions} AS v ON v.id = a.value ->> 'versionId' WHERE true ON CONFLICT (version_id) DO NOTHING`);
}

/**
 * Returns the version whose archive has this digest, current or not, if the index can show its skill. Yanked and blocked versions are
 * excluded. Older versions are included because a client may use an index from before the newest version.
 */
export async function findArchive(
  db: Database,
  shelf: PublishedQuery,
  name: string,
  sha256: string,
  table: VersionArchiveTable = versionArchives,
): Promise<{ versionId: string; scope: string; size: number }[]> {
  return db
    .select({ versionId: versions.id, scope: skills.scope, size: table.size })
    .from(skills)
    .innerJoin(versions, eq(versions.skillId, skills.id))
    .innerJoin(table, eq(table.versionId, versions.id))
    .where(and(isPublishable({ ...shelf, name }), isNull(versions.yankedAt), not(isBlocked), eq(table.sha256, sha256)));
}
