// The flat archives of versions: which there are, what they hash to, and which version a digest belongs to.

import { and, eq, isNull, not, sql } from "drizzle-orm";
import type { Database } from "../database";
import { versionArchives, type versionPlugins } from "../schema/compat";
import { skills, versions } from "../schema/registry";
import { isPublishable, type PublishedQuery } from "./published-index";
import { isBlocked } from "./version-blocks";

/** An archive as a row has it. */
export interface Archive {
  sha256: string;
  size: number;
}

/** Where the archives of a kind are kept: the tables have the same columns. */
export type VersionArchiveTable = typeof versionArchives | typeof versionPlugins;

/** Keeps archives of versions that had none. The first stays, and a version that is gone gets none. */
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
 * The version of a skill on this shelf whose archive has this digest, current or not, yanked and blocked ones left out: a client may hold an index
 * from before the newest version.
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
