// Where versions are said to have been taken from: a row beside the version of those that are said to come from anywhere.

import { sql } from "drizzle-orm";
import { type SkillSource, skillSource } from "../../../domain/catalog/source";
import type { Database } from "../database";
import { versionSources, versions } from "../schema/registry";

/** SQL, beside `versions`: where it is said to come from. */
export const sourceOfVersion = sql<SkillSource | null>`(SELECT source FROM ${versionSources}
  WHERE version_id = ${versions.id})`
  .mapWith((text: string) => skillSource.parse(JSON.parse(text)))
  .as("version_source");

/** Statements for the batch of a publish: none where nothing is said. */
export function keepSource(db: Database, { id, source }: { id: string; source: SkillSource | null }) {
  return source === null ? [] : [db.insert(versionSources).values({ versionId: id, source })];
}
