// Reads the version that a batch has created.

import { eq } from "drizzle-orm";
import type { Envelope } from "../../../domain/attestation/statement";
import { whenToUseOf } from "../../../domain/catalog/search";
import type { Database } from "../database";
import { type skills, versionNumbers, type versions } from "../schema/registry";
import type { SkillRecord } from "../skills";

export type NewVersion = Omit<typeof versions.$inferSelect, "createdAt" | "yankedAt"> &
  Pick<SkillRecord, "scripts" | "source" | "provenance"> & {
    /** `null`: the gateway has no key to sign with. */
    attestation: Envelope | null;
  };

/** Statement that returns the number of a version, for the batch that creates it. */
export function numberOf(db: Database, versionId: string) {
  return db
    .select({ number: versionNumbers.number })
    .from(versionNumbers)
    .where(eq(versionNumbers.versionId, versionId));
}

/** Returns the record of the version that a batch created. */
export function recordOfBatch(
  [skill]: (typeof skills.$inferSelect)[],
  [numbered]: { number: number }[],
  version: NewVersion,
): SkillRecord {
  if (skill === undefined || numbered === undefined) throw new Error("a change of a skill returned no row");
  const { id, name, namespace, scope, userId, createdAt, updatedAt } = skill;
  const { id: versionId, attestation: _, ...rest } = version;
  const current = {
    versionId,
    currentId: skill.versionId,
    yankedAt: null,
    blockedFor: null,
    whenToUse: whenToUseOf(version.frontmatter),
  };
  return {
    ...rest,
    ...current,
    ...numbered,
    fileCount: version.files.length,
    id,
    name,
    namespace,
    scope,
    userId,
    createdAt,
    updatedAt,
  };
}
