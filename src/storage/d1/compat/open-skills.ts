// Stores the open list: public skills that can be read without a key.

import { eq, sql } from "drizzle-orm";
import type { Database } from "../database";
import { openSkills } from "../schema/compat";
import { skills } from "../schema/registry";

/** An entry of the open list. */
export interface OpenSkill {
  skillId: string;
  name: string;
  createdBy: string;
  createdAt: number;
}

/** Returns the whole list by name (at most `COMPAT_LIMITS.openSkills` entries). */
export async function listOpen(db: Database): Promise<OpenSkill[]> {
  return selectOpen(db).orderBy(skills.name);
}

/** Returns a skill's entry, or `null` if it is not open. */
export async function readOpen(db: Database, skillId: string): Promise<OpenSkill | null> {
  const [found] = await selectOpen(db).where(eq(openSkills.skillId, skillId));
  return found ?? null;
}

/**
 * Adds a skill while the list has fewer than `most` entries. Runs as a batch so that an audit record can be added. Returns `false` if
 * nothing was written.
 */
export async function insertOpen(db: Database, skillId: string, createdBy: string, most: number): Promise<boolean> {
  const [written] = await db.batch([
    db
      .insert(openSkills)
      .select(
        sql`SELECT ${skillId}, ${createdBy}, cast(unixepoch('subsec') * 1000 as integer)
          WHERE (SELECT count(*) FROM open_skills) < ${most}`,
      )
      .onConflictDoNothing()
      .returning({ skillId: openSkills.skillId }),
  ]);
  return written.length > 0;
}

/** Removes a skill from the list. Returns `false` if it was not listed. */
export async function deleteOpen(db: Database, skillId: string): Promise<boolean> {
  const [gone] = await db.batch([
    db.delete(openSkills).where(eq(openSkills.skillId, skillId)).returning({ skillId: openSkills.skillId }),
  ]);
  return gone.length > 0;
}

function selectOpen(db: Database) {
  return db
    .select({
      skillId: openSkills.skillId,
      name: skills.name,
      createdBy: openSkills.createdBy,
      createdAt: openSkills.createdAt,
    })
    .from(openSkills)
    .innerJoin(skills, eq(skills.id, openSkills.skillId));
}
