// Reads the columns that a plugin marketplace needs in addition to those of the published index.

import { eq, sql } from "drizzle-orm";
import type { Database } from "../database";
import { versionPlugins } from "../schema/compat";
import { versionNumbers, versions } from "../schema/registry";

export interface PluginRow {
  versionId: string;
  label: string | null;
  number: number;
  author: string | null;
  zipSize: number;
  /** Digest of the archive; `null` until a client requests it. */
  sha256: string | null;
}

/** Returns the rows of these versions by id. Deleted versions are absent. */
export async function readPluginRows(db: Database, versionIds: readonly string[]): Promise<Map<string, PluginRow>> {
  const rows = await db
    .select({
      versionId: versions.id,
      label: versions.label,
      number: versionNumbers.number,
      author: versions.author,
      zipSize: versions.zipSize,
      sha256: versionPlugins.sha256,
    })
    .from(versions)
    .innerJoin(versionNumbers, eq(versionNumbers.versionId, versions.id))
    .leftJoin(versionPlugins, eq(versionPlugins.versionId, versions.id))
    .where(sql`${versions.id} IN (SELECT value FROM json_each(${JSON.stringify(versionIds)}))`);
  return new Map(rows.map((row) => [row.versionId, row]));
}
