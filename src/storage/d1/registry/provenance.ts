// Stores where versions of trusted publishers come from.

import { sql } from "drizzle-orm";
import { type Provenance, provenanceSchema } from "../../../domain/access/provenance";
import type { Database } from "../database";
import { versionProvenance } from "../schema/publishers";
import { versions } from "../schema/registry";

/** SQL, next to `versions`: the provenance, or `null` if no trusted publisher published the version. */
export const provenanceOfVersion = sql<Provenance | null>`(SELECT provenance FROM ${versionProvenance}
  WHERE version_id = ${versions.id})`
  .mapWith((text: string) => provenanceSchema.parse(JSON.parse(text)))
  .as("version_provenance");

/** Statements for the batch of a publish; empty if no trusted publisher publishes the version. */
export function keepProvenance(db: Database, { id, provenance }: { id: string; provenance: Provenance | null }) {
  return provenance === null ? [] : [db.insert(versionProvenance).values({ versionId: id, provenance })];
}
