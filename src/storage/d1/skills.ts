// Reads skills: by id, by name in rank order of scopes, and as lists. Level 1 and 2 only; `versions.ts` reads the files of versions,
// `packages.ts` their bytes.

import { and, desc, eq, gte, isNull, ne, sql } from "drizzle-orm";
import type { Provenance } from "../../domain/access/provenance";
import type { SkillSource } from "../../domain/catalog/source";
import type { ScriptVerdict } from "../../domain/code/check/verdict";
import type { Issue } from "../../domain/errors";
import type { Manifest } from "../../domain/package/skill";
import { blockedFor } from "./compat/version-blocks";
import type { Database } from "./database";
import { provenanceOfVersion } from "./registry/provenance";
import { sourceOfVersion } from "./registry/sources";
import { isReviewed } from "./review/approval";
import { skills, versions } from "./schema/registry";
import { numberOfVersion, scriptsOfVersion } from "./versions";

/** Level 1 of a skill at one of its versions. */
export interface SkillSummary {
  id: string;
  name: string;
  namespace: string;
  scope: string;
  userId: string;
  createdAt: number;
  updatedAt: number;
  /** The skill's current version, empty while all are yanked. The described version is `versionId`. */
  currentId: string;
  versionId: string;
  label: string | null;
  description: string;
  displayName: string | null;
  author: string | null;
  tags: string[];
  bindShells: string[] | null;
  warnings: Issue[];
  yankedAt: number | null;
}

/** A skill at one of its versions with everything its resource shows. */
export interface SkillRecord extends SkillSummary {
  manifest: Manifest;
  /** The number of the version, counted from 1. */
  number: number;
  fileCount: number;
  zipSha256: string;
  zipSize: number;
  uploadSha256: string;
  tokensDescription: number;
  tokensLine: number;
  tokensInstructions: number;
  tokensFiles: number;
  instructions: string;
  /** The frontmatter's `when_to_use`, see `domain/catalog/search.ts`. */
  whenToUse: string | null;
  /** Whether the scripts run; `null` if they were not analysed. */
  scripts: ScriptVerdict[] | null;
  /** The declared source. */
  source: SkillSource | null;
  /** Where a trusted publisher built the version. */
  provenance: Provenance | null;
  /** The reason for which an admin blocked the version; `null`: not blocked. */
  blockedFor: string | null;
}

/** The facts of a skill that are checked before it is changed. */
export interface SkillHead {
  id: string;
  name: string;
  scope: string;
  /** As in the row: for a group's skill, the user who first published it. */
  userId: string;
  currentId: string;
}

export const summaryColumns = {
  id: skills.id,
  name: skills.name,
  namespace: skills.namespace,
  scope: skills.scope,
  userId: skills.userId,
  createdAt: skills.createdAt,
  updatedAt: skills.updatedAt,
  currentId: skills.versionId,
  // Renamed, because D1 returns the rows of a batch as objects, where columns with equal names overwrite each other.
  versionId: sql<string>`${versions.id}`.as("this_version"),
  label: versions.label,
  description: versions.description,
  displayName: versions.displayName,
  author: versions.author,
  tags: versions.tags,
  bindShells: versions.bindShells,
  warnings: versions.warnings,
  yankedAt: versions.yankedAt,
};

/** SQL: the frontmatter's `when_to_use`, as `whenToUseOf` reads it. */
export const whenToUse = sql<string | null>`cast(${versions.frontmatter} ->> '$.when_to_use' AS TEXT)`.as(
  "when_to_use",
);

export const skillColumns = {
  ...summaryColumns,
  manifest: versions.manifest,
  number: numberOfVersion,
  fileCount: sql<number>`json_array_length(${versions.files})`.as("file_count"),
  zipSha256: versions.zipSha256,
  zipSize: versions.zipSize,
  uploadSha256: versions.uploadSha256,
  tokensDescription: versions.tokensDescription,
  tokensLine: versions.tokensLine,
  tokensInstructions: versions.tokensInstructions,
  tokensFiles: versions.tokensFiles,
  instructions: versions.instructions,
  whenToUse,
  scripts: scriptsOfVersion,
  source: sourceOfVersion,
  provenance: provenanceOfVersion,
  blockedFor,
};

/** SQL: the skill has a selectable version. Read from the index alone. */
export const isListed = gte(skills.tokens, 0);

/** Returns a skill's owner and scope, in any scope. */
export async function readSkillHead(db: Database, id: string): Promise<SkillHead | null> {
  const [found] = await db
    .select({
      id: skills.id,
      name: skills.name,
      scope: skills.scope,
      userId: skills.userId,
      currentId: skills.versionId,
    })
    .from(skills)
    .where(eq(skills.id, id));
  return found ?? null;
}

/** The statement of `readSkill`, for batches that return what they created. */
export function selectSkill(db: Database, id: string) {
  return db
    .select(skillColumns)
    .from(skills)
    .innerJoin(versions, eq(versions.id, skills.versionId))
    .where(eq(skills.id, id));
}

/** Returns a skill at its current version, or at its newest if all are yanked, in any scope. */
export async function readSkill(db: Database, id: string): Promise<SkillRecord | null> {
  const newest = sql`(SELECT v.id FROM ${versions} AS v WHERE v.skill_id = ${skills.id}
    ORDER BY v.created_at DESC, v.id DESC LIMIT 1)`;
  const [found] = await db
    .select(skillColumns)
    .from(skills)
    .innerJoin(versions, eq(versions.id, sql`coalesce(nullif(${skills.versionId}, ''), ${newest})`))
    .where(eq(skills.id, id));
  return found ?? null;
}

/** Returns the newest version of a skill that is not yanked, except `leaving`; with `onlyReviewed`, the newest that a review approved. */
export async function readSuccessor(
  db: Database,
  skillId: string,
  leaving: string,
  onlyReviewed: boolean,
): Promise<SkillRecord | null> {
  const [found] = await db
    .select(skillColumns)
    .from(versions)
    .innerJoin(skills, eq(skills.id, versions.skillId))
    .where(
      and(
        eq(versions.skillId, skillId),
        ne(versions.id, leaving),
        isNull(versions.yankedAt),
        onlyReviewed ? isReviewed : undefined,
      ),
    )
    .orderBy(desc(versions.createdAt), desc(versions.id))
    .limit(1);
  return found ?? null;
}

/** Returns a version with its skill, by the version's id. */
export async function readSkillAt(db: Database, versionId: string): Promise<SkillRecord | null> {
  const [found] = await db
    .select(skillColumns)
    .from(versions)
    .innerJoin(skills, eq(skills.id, versions.skillId))
    .where(eq(versions.id, versionId));
  return found ?? null;
}

/** Returns the named skills of the scopes at their current versions, or all their versions where a range may need an older one. */
export function findNamed(
  db: Database,
  scopes: readonly string[],
  names: readonly string[],
  which: "current" | "all",
): Promise<SkillSummary[]> {
  return db
    .select(summaryColumns)
    .from(skills)
    .innerJoin(versions, which === "all" ? eq(versions.skillId, skills.id) : eq(versions.id, skills.versionId))
    .where(
      and(
        sql`${skills.scope} IN (SELECT value FROM json_each(${JSON.stringify(scopes)}))`,
        sql`${skills.name} IN (SELECT value FROM json_each(${JSON.stringify(names)}))`,
        isNull(versions.yankedAt),
      ),
    );
}
