// Stores the declared source of versions, one row per version that has one.

import { sql } from "drizzle-orm";
import { type SkillSource, skillSource } from "../../../domain/catalog/source";
import type { Database } from "../database";
import { versionSources, versions } from "../schema/registry";

/** SQL, next to `versions`: the declared source. */
export const sourceOfVersion = sql<SkillSource | null>`(SELECT source FROM ${versionSources}
  WHERE version_id = ${versions.id})`
  .mapWith((text: string) => skillSource.parse(JSON.parse(text)))
  .as("version_source");

/** Statements for the batch of a publish; empty if no source is declared. */
export function keepSource(db: Database, { id, source }: { id: string; source: SkillSource | null }) {
  return source === null ? [] : [db.insert(versionSources).values({ versionId: id, source })];
}
