// What a marketplace of plugins wants to know of versions, beside what their shelf says.

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
  /** Of its archive; `null` where nobody asked for it yet. */
  sha256: string | null;
}

/** The rows of these versions. One that is gone is absent. */
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
