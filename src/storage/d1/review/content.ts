// Reads what a submission contains and what it is compared with.

import { and, eq, sql } from "drizzle-orm";
import type { ScriptVerdict } from "../../../domain/code/check/verdict";
import type { Issue } from "../../../domain/errors";
import type { JsonObject } from "../../../domain/json";
import type { Manifest, PackageFile } from "../../../domain/package/skill";
import type { Database } from "../database";
import { skills, versions } from "../schema/registry";
import { scriptsOfVersion } from "../versions";

/** A version as reviewers see it. */
export interface ReviewedVersion {
  skillId: string;
  versionId: string;
  label: string | null;
  description: string;
  manifest: Manifest;
  frontmatter: JsonObject;
  instructions: string;
  files: PackageFile[];
  scripts: ScriptVerdict[] | null;
  warnings: Issue[];
  zipSha256: string;
  zipSize: number;
}

const content = {
  skillId: versions.skillId,
  versionId: versions.id,
  label: versions.label,
  description: versions.description,
  manifest: versions.manifest,
  frontmatter: versions.frontmatter,
  instructions: versions.instructions,
  files: versions.files,
  scripts: scriptsOfVersion,
  warnings: versions.warnings,
  zipSha256: versions.zipSha256,
  zipSize: versions.zipSize,
};

/** Returns a version by id, and the current version of the skill with this folded name in the scope. */
export async function readCompared(
  db: Database,
  versionId: string,
  skill: { scope: string; folded: string },
): Promise<{ content: ReviewedVersion | null; current: ReviewedVersion | null }> {
  const [found, current] = await db.batch([
    db.select(content).from(versions).where(eq(versions.id, versionId)),
    db
      .select(content)
      .from(skills)
      .innerJoin(versions, eq(versions.id, skills.versionId))
      .where(and(eq(skills.scope, skill.scope), eq(skills.folded, skill.folded))),
  ]);
  return { content: found[0] ?? null, current: current[0] ?? null };
}

/** Returns the current version's id of the skill with this folded name; `null`: there is none. */
export async function readCurrentId(db: Database, scope: string, folded: string): Promise<string | null> {
  const [found] = await db
    .select({ current: sql<string>`${skills.versionId}`.as("current_version") })
    .from(skills)
    .where(and(eq(skills.scope, scope), eq(skills.folded, folded)));
  return found === undefined || found.current === "" ? null : found.current;
}

/** Returns a version by id, or `null`. */
export async function readReviewedVersion(db: Database, versionId: string): Promise<ReviewedVersion | null> {
  const [found] = await db.select(content).from(versions).where(eq(versions.id, versionId));
  return found ?? null;
}
