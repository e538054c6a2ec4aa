// Changes skills. Every change is one batch of rows, search index, counters and the stored response. Without a search index, skills are
// changed without it; `/health` reports this, and reindexing adds them.

import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { whenToUseOf } from "../../../domain/catalog/search";
import { type Database, isIndexMissing } from "../database";
import { type NewReply, rememberReply } from "../idempotency";
import { raiseCounters } from "../keys";
import { skillTitles } from "../schema/compat";
import { ghostSkills, ghosts, now, skills, versions } from "../schema/registry";
import { indexSkill, type Searched, searchText, unindexSkill } from "../search";
import { type SkillRecord, selectSkill } from "../skills";
import { keepVerdicts } from "../versions";
import { keepAttestation } from "./attestations";
import { isInScopes } from "./ghost-references";
import { keepProvenance } from "./provenance";
import { keepSource } from "./sources";
import { type NewVersion, numberOf, recordOfBatch } from "./version-batch";

export type NewSkill = Pick<
  typeof skills.$inferInsert,
  "id" | "scope" | "name" | "folded" | "namespace" | "userId" | "versionId"
>;

/** Creates a skill with its first version. Fails with a constraint error if the name was taken meanwhile. */
export async function insertSkill(
  db: Database,
  skill: NewSkill,
  version: NewVersion,
  answer: NewReply | null,
  title: string | null = null,
): Promise<SkillRecord> {
  const [rows, , numbers] = await withIndex((isIndexed) =>
    db.batch([
      db
        .insert(skills)
        .values({ ...skill, ...current(version) })
        .returning(),
      db.insert(versions).values(version),
      numberOf(db, version.id),
      ...keepVerdicts(db, version),
      ...keepSource(db, version),
      ...keepAttestation(db, version),
      ...keepProvenance(db, version),
      ...(title === null ? [] : [db.insert(skillTitles).values({ skillId: skill.id, title })]),
      ...mirror(db, skill, { ...version, whenToUse: whenToUseOf(version.frontmatter) }, isIndexed),
      ...(answer === null ? [] : rememberReply(db, answer)),
    ]),
  );
  return recordOfBatch(rows, numbers, version);
}

/** Adds a version to a skill and makes it current. Fails with a constraint error if the skill is gone or already has this version. */
export async function insertVersion(
  db: Database,
  skill: { scope: string; name: string },
  version: NewVersion,
  answer: NewReply | null,
): Promise<SkillRecord> {
  const [, numbers, rows] = await withIndex((isIndexed) =>
    db.batch([
      db.insert(versions).values(version),
      numberOf(db, version.id),
      db
        .update(skills)
        .set({ ...current(version), versionId: version.id, updatedAt: now })
        .where(eq(skills.id, version.skillId))
        .returning(),
      ...keepVerdicts(db, version),
      ...keepSource(db, version),
      ...keepAttestation(db, version),
      ...keepProvenance(db, version),
      ...mirror(db, skill, { ...version, whenToUse: whenToUseOf(version.frontmatter) }, isIndexed),
      ...(answer === null ? [] : rememberReply(db, answer)),
    ]),
  );
  return recordOfBatch(rows, numbers, version);
}

/** Makes another version current. Returns `null` if it was yanked meanwhile or the skill is gone. */
export async function activateVersion(db: Database, version: SkillRecord): Promise<SkillRecord | null> {
  const isCurrent = sql`skills.version_id = ${version.versionId}`;
  const [, found] = await withIndex((isIndexed) =>
    db.batch([
      db
        .update(skills)
        .set({ ...current(version), versionId: version.versionId, updatedAt: now })
        .where(and(eq(skills.id, version.id), isStanding(version.versionId))),
      selectSkill(db, version.id),
      ...mirror(db, version, { ...version, skillId: version.id }, isIndexed, isCurrent),
    ]),
  );
  const [skill] = found;
  return skill?.versionId === version.versionId ? skill : null;
}

/**
 * Yanks a version. If it is the current version, the skill moves to `next`, or has no current version. Returns `false` and changes nothing
 * if the current version or `next` changed meanwhile.
 *
 * @param next the result of `readSuccessor`
 */
export async function yankVersion(
  db: Database,
  { id, versionId, scope, name }: SkillRecord,
  next: SkillRecord | null,
  onlyReviewed: boolean,
): Promise<boolean> {
  const nextId = next?.versionId ?? NO_VERSION;
  const newest = sql`coalesce((SELECT v.id FROM versions AS v WHERE v.skill_id = ${id} AND v.id <> ${versionId}
    AND v.yanked_at IS NULL AND (NOT ${onlyReviewed} OR EXISTS (SELECT 1 FROM version_reviews AS r WHERE r.version_id = v.id)) ORDER BY v.created_at DESC, v.id DESC LIMIT 1), ${NO_VERSION})`;
  const moved = sql`skills.version_id = ${nextId}`;
  const index =
    next === null ? [unindexSkill(db, id, moved)] : indexSkill(db, id, searchText({ scope, name }, next), moved);
  const [, yanked] = await withIndex((isIndexed) =>
    db.batch([
      db
        .update(skills)
        .set({ ...(next === null ? NOTHING_CURRENT : current(next)), versionId: nextId, updatedAt: now })
        .where(and(eq(skills.id, id), eq(skills.versionId, versionId), sql`${newest} = ${nextId}`)),
      db
        .update(versions)
        .set({ yankedAt: now })
        .where(
          and(
            eq(versions.id, versionId),
            isNull(versions.yankedAt),
            sql`NOT EXISTS (SELECT 1 FROM skills WHERE id = ${id} AND version_id = ${versionId})`,
          ),
        )
        .returning({ id: versions.id }),
      ...(isIndexed ? index : []),
      raiseCounters(db, [scope]),
    ]),
  );
  return yanked.length > 0;
}

/** Reverts a yank. The version becomes current only if the skill has no current version, and with `onlyReviewed` if it was reviewed. */
export async function unyankVersion(db: Database, version: SkillRecord, onlyReviewed: boolean): Promise<void> {
  const { id, versionId, scope } = version;
  const isCurrent = sql`skills.version_id = ${versionId}`;
  await withIndex((isIndexed) =>
    db.batch([
      db.update(versions).set({ yankedAt: null }).where(eq(versions.id, versionId)),
      db
        .update(skills)
        .set({ ...current(version), versionId, updatedAt: now })
        .where(
          and(
            eq(skills.id, id),
            eq(skills.versionId, NO_VERSION),
            sql`(NOT ${onlyReviewed} OR EXISTS (SELECT 1 FROM version_reviews WHERE version_id = ${versionId}))`,
          ),
        ),
      ...(isIndexed ? indexSkill(db, id, searchText(version, version), isCurrent) : []),
      raiseCounters(db, [scope]),
    ]),
  );
}

/** The current version id of a skill without a current version. */
const NO_VERSION = "";
const NOTHING_CURRENT = { tokens: -1, bindShells: null };

/** SQL: the version exists and is not yanked. */
function isStanding(versionId: string) {
  return sql`EXISTS (SELECT 1 FROM versions WHERE id = ${versionId} AND yanked_at IS NULL)`;
}

/**
 * Deletes a skill with its versions, unless a ghost in `holding` refers to it. Returns the ids of versions whose packages can be deleted;
 * `null` if nothing was deleted.
 *
 * @param holding the scopes whose ghosts prevent the deletion
 */
export async function deleteSkillRows(
  db: Database,
  skill: { id: string; scope: string },
  holding: "all" | readonly string[],
): Promise<string[] | null> {
  const holds = holding === "all" ? sql`true` : isInScopes(holding);
  const free = sql`NOT EXISTS (SELECT 1 FROM ${ghostSkills} CROSS JOIN ${ghosts} ON ${ghosts.id} = ${ghostSkills.ghostId}
    WHERE ${ghostSkills.skillId} = ${skill.id} AND ${holds})`;
  const [all, , deleted] = await withIndex((isIndexed) =>
    db.batch([
      db.select({ id: versions.id }).from(versions).where(eq(versions.skillId, skill.id)),
      isIndexed ? unindexSkill(db, skill.id, free) : db.run(sql`SELECT 1`),
      db
        .delete(skills)
        .where(and(eq(skills.id, skill.id), free))
        .returning({ id: skills.id }),
      raiseCounters(db, [skill.scope]),
    ]),
  );
  return deleted.length === 0 ? null : all.map((version) => version.id);
}

/** The columns of the current version that are repeated in the skill's row. */
function current(version: Pick<NewVersion, "tokensInstructions" | "bindShells">) {
  return { tokens: version.tokensInstructions, bindShells: version.bindShells };
}

/** Statements that accompany every change of a skill's current version: its search text and the counter of its scope. */
function mirror(
  db: Database,
  skill: { scope: string; name: string },
  version: Searched & { skillId: string },
  isIndexed: boolean,
  condition?: SQL,
) {
  const index = isIndexed ? indexSkill(db, version.skillId, searchText(skill, version), condition) : [];
  return [...index, raiseCounters(db, [skill.scope])];
}

/** Runs a change together with its search index entry, or without it if the index is missing. The first attempt leaves nothing behind. */
async function withIndex<T>(change: (isIndexed: boolean) => Promise<T>): Promise<T> {
  try {
    return await change(true);
  } catch (error) {
    if (!isIndexMissing(error)) throw error;
    console.error(JSON.stringify({ event: "search_index_missing", mend: "npm run reindex" }));
    return change(false);
  }
}

/** Adds a version to a skill without changing the current one. Fails with a constraint error as `insertVersion` does. */
export async function insertInactive(
  db: Database,
  { scope }: { scope: string },
  version: NewVersion,
  answer: NewReply | null,
): Promise<SkillRecord> {
  const [, numbers, rows] = await db.batch([
    db.insert(versions).values(version),
    numberOf(db, version.id),
    db.update(skills).set({ updatedAt: now }).where(eq(skills.id, version.skillId)).returning(),
    ...keepVerdicts(db, version),
    ...keepAttestation(db, version),
    ...keepProvenance(db, version),
    raiseCounters(db, [scope]),
    ...(answer === null ? [] : rememberReply(db, answer)),
  ]);
  return recordOfBatch(rows, numbers, version);
}
