// Changing skills. Every change is one batch: rows, search index, counters and the record of a repeatable answer together.

import { and, eq, or, sql } from "drizzle-orm";
import type { Database } from "./database";
import { among } from "./ghosts";
import { type NewReply, rememberReply } from "./idempotency";
import { raiseCounters } from "./keys";
import { ghostSkills, ghosts, now, skills, versions } from "./schema/registry";
import { indexSkill, unindexSkill } from "./search";
import { type SkillRecord, selectSkill } from "./skills";

export type NewVersion = Omit<typeof versions.$inferSelect, "createdAt">;
export type NewSkill = Pick<
  typeof skills.$inferInsert,
  "id" | "scope" | "name" | "folded" | "namespace" | "userId" | "versionId"
>;

/** The skill that an upload is about, and those of its versions that have this content or this label. */
export interface PublishState {
  skill: { id: string; name: string; versionId: string } | null;
  versions: { id: string; digest: string; label: string | null }[];
}

/** Finds what an upload meets: by the skill's id, or by the folded name it wants in a scope. */
export async function readPublishState(
  db: Database,
  skill: { id: string } | { scope: string; folded: string },
  content: { digest: string; label: string | null },
): Promise<PublishState> {
  const which =
    "id" in skill ? eq(skills.id, skill.id) : and(eq(skills.scope, skill.scope), eq(skills.folded, skill.folded));
  const same =
    content.label === null
      ? eq(versions.digest, content.digest)
      : or(eq(versions.digest, content.digest), eq(versions.label, content.label));
  const [found, met] = await db.batch([
    db.select({ id: skills.id, name: skills.name, versionId: skills.versionId }).from(skills).where(which),
    db
      .select({ id: versions.id, digest: versions.digest, label: versions.label })
      .from(skills)
      .innerJoin(versions, eq(versions.skillId, skills.id))
      .where(and(which, same)),
  ]);
  return { skill: found[0] ?? null, versions: met };
}

/** Makes a skill with its first version. Fails on a constraint when the name was taken meanwhile. */
export async function insertSkill(
  db: Database,
  skill: NewSkill,
  version: NewVersion,
  answer: NewReply | null,
): Promise<SkillRecord> {
  const [rows] = await db.batch([
    db
      .insert(skills)
      .values({ ...skill, ...current(version) })
      .returning(),
    db.insert(versions).values(version),
    ...mirror(db, skill, version),
    ...(answer === null ? [] : rememberReply(db, answer)),
  ]);
  return recordOf(rows, version);
}

/**
 * Adds a version to a skill and makes it the current one. Fails on a constraint when the skill is gone, or has such a
 * version by now.
 */
export async function insertVersion(
  db: Database,
  skill: { scope: string; name: string },
  version: NewVersion,
  answer: NewReply | null,
): Promise<SkillRecord> {
  const [, rows] = await db.batch([
    db.insert(versions).values(version),
    db
      .update(skills)
      .set({ ...current(version), versionId: version.id, updatedAt: now })
      .where(eq(skills.id, version.skillId))
      .returning(),
    ...mirror(db, skill, version),
    ...(answer === null ? [] : rememberReply(db, answer)),
  ]);
  return recordOf(rows, version);
}

/** Makes another version of a skill the current one; `null` when the skill is gone. */
export async function activateVersion(db: Database, version: SkillRecord): Promise<SkillRecord | null> {
  const [, found] = await db.batch([
    db
      .update(skills)
      .set({ ...current(version), versionId: version.versionId, updatedAt: now })
      .where(eq(skills.id, version.id)),
    selectSkill(db, version.id),
    ...mirror(db, version, { ...version, skillId: version.id }),
  ]);
  return found[0] ?? null;
}

/**
 * Deletes a skill with its versions, unless a ghost that holds it refers to it. Returns the ids of the versions whose packages are
 * of no use any more; `null` when nothing was deleted.
 *
 * @param holding the scopes whose ghosts hold it
 */
export async function deleteSkillRows(
  db: Database,
  skill: { id: string; scope: string },
  holding: "all" | readonly string[],
): Promise<string[] | null> {
  const holds = holding === "all" ? sql`true` : among(holding);
  const free = sql`NOT EXISTS (SELECT 1 FROM ${ghostSkills} CROSS JOIN ${ghosts} ON ${ghosts.id} = ${ghostSkills.ghostId}
    WHERE ${ghostSkills.skillId} = ${skill.id} AND ${holds})`;
  const [all, , deleted] = await db.batch([
    db.select({ id: versions.id }).from(versions).where(eq(versions.skillId, skill.id)),
    unindexSkill(db, skill.id, free),
    db
      .delete(skills)
      .where(and(eq(skills.id, skill.id), free))
      .returning({ id: skills.id }),
    raiseCounters(db, [skill.scope]),
  ]);
  return deleted.length === 0 ? null : all.map((version) => version.id);
}

/** What a skill's row repeats of its current version. */
function current(version: Pick<NewVersion, "tokensInstructions" | "bindShells">) {
  return { tokens: version.tokensInstructions, bindShells: version.bindShells };
}

/** What every change of a skill's current version brings along: its search text and the counter of its scope. */
function mirror(
  db: Database,
  skill: { scope: string; name: string },
  version: Pick<NewVersion, "skillId" | "displayName" | "description" | "tags">,
) {
  const { displayName, description, tags } = version;
  const text = { scope: skill.scope, name: skill.name, displayName, description, tags };
  return [...indexSkill(db, version.skillId, text), raiseCounters(db, [skill.scope])];
}

function recordOf(rows: (typeof skills.$inferSelect)[], version: NewVersion): SkillRecord {
  const skill = rows[0];
  if (skill === undefined) throw new Error("a change of a skill returned no row");
  const { id, name, namespace, scope, userId, createdAt, updatedAt } = skill;
  const { id: versionId, ...rest } = version;
  return { ...rest, id, name, namespace, scope, userId, createdAt, updatedAt, currentId: versionId, versionId };
}
