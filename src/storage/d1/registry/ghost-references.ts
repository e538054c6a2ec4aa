// Reads the ghosts that refer to a skill, and removes the skill from them.

import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Database } from "../database";
import { counters, ghostSkills, ghosts, now } from "../schema/registry";

/** The facts needed to identify a ghost. */
export interface GhostRef {
  id: string;
  name: string;
  namespace: string;
}

const ref = { id: ghosts.id, name: ghosts.name, namespace: ghosts.namespace };

/** SQL: the new change time, always later than the previous one, so that two changes in one millisecond differ. */
export const ghostChanged = sql`max(${now}, ${ghosts.updatedAt} + 1)`;

/** Returns the ghosts of these scopes that refer to a skill, and the number of others. */
export async function readReferences(
  db: Database,
  scopes: readonly string[],
  skillId: string,
): Promise<{ seen: GhostRef[]; others: number }> {
  const [seen, counted] = await db.batch([
    selectReferences(db, scopes, skillId),
    db.select({ total: sql<number>`count(*)` }).from(ghostSkills).where(eq(ghostSkills.skillId, skillId)),
  ]);
  return { seen, others: (counted[0]?.total ?? 0) - seen.length };
}

/**
 * Removes a skill from the ghosts of these scopes, or from one of them: from lists, preloads and references. Returns the changed ghosts.
 */
export async function removeReferences(
  db: Database,
  scopes: readonly string[],
  skillId: string,
  only: string | null = null,
): Promise<GhostRef[]> {
  const wanted = only === null ? isInScopes(scopes) : sql`${ghosts.id} = ${only} AND ${isInScopes(scopes)}`;
  const referring = sql`${ghosts.id} IN (SELECT ghost_id FROM ghost_skills WHERE skill_id = ${skillId}) AND ${wanted}`;
  // List entries are `name` or `name@range`. The comparison uses the name as the ghost wrote it.
  const without = (list: string) => sql`(
    SELECT json_group_array(entry.value ORDER BY entry.key)
    FROM json_each(${ghosts.spec}, ${list}) AS entry
    WHERE NOT EXISTS (
      SELECT 1 FROM ghost_skills AS gone WHERE gone.skill_id = ${skillId} AND gone.ghost_id = ${ghosts.id}
      AND (entry.value = gone.name OR substr(entry.value, 1, length(gone.name) + 1) = gone.name || '@')))`;
  const withoutRef = (refs: string) => sql`(
    SELECT json_group_object(entry.key, json(entry.value))
    FROM json_each(${ghosts.spec}, ${refs}) AS entry
    WHERE NOT EXISTS (
      SELECT 1 FROM ghost_skills AS gone
      WHERE gone.skill_id = ${skillId} AND gone.ghost_id = ${ghosts.id} AND entry.key = gone.name))`;
  const spec = sql`json_replace(${ghosts.spec},
    '$.skills', ${without("$.skills")}, '$.preload_skills', ${without("$.preload_skills")},
    '$.skill_refs', ${withoutRef("$.skill_refs")}, '$.preload_skill_refs', ${withoutRef("$.preload_skill_refs")})`;
  const [affected] = await db.batch([
    selectReferences(db, scopes, skillId, wanted),
    // Must run before the references are deleted, because they determine whose counters rise.
    db
      .insert(counters)
      .select(sql`SELECT DISTINCT ${ghosts.scope}, 1 FROM ${ghosts} WHERE ${referring}`)
      .onConflictDoUpdate({ target: counters.scope, set: { value: sql`${counters.value} + 1` } }),
    db.update(ghosts).set({ spec, updatedAt: ghostChanged }).where(referring),
    db.delete(ghostSkills).where(
      and(
        eq(ghostSkills.skillId, skillId),
        sql`${ghostSkills.ghostId} IN (SELECT ${ghosts.id} FROM ${ghosts}
          WHERE ${ghosts.id} = ${ghostSkills.ghostId} AND ${wanted})`,
      ),
    ),
  ]);
  return affected;
}

function selectReferences(db: Database, scopes: readonly string[], skillId: string, wanted = isInScopes(scopes)) {
  return db
    .select(ref)
    .from(ghostSkills)
    .innerJoin(ghosts, eq(ghosts.id, ghostSkills.ghostId))
    .where(and(eq(ghostSkills.skillId, skillId), wanted))
    .orderBy(ghosts.namespace, ghosts.name);
}

/**
 * SQL: a ghost is in one of these scopes. The unary plus prevents SQLite from using the scope index in statements that have the ghosts'
 * ids.
 */
export function isInScopes(scopes: readonly string[]): SQL {
  return sql`+${ghosts.scope} IN (SELECT value FROM json_each(${JSON.stringify(scopes)}))`;
}
