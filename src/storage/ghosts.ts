// Ghosts and their references to skills.

import { and, eq, inArray, sql } from "drizzle-orm";
import type { GhostSpec } from "../domain/ghost";
import type { Database } from "./database";
import { raiseCounters } from "./keys";
import { ghostSkills, ghosts, now } from "./schema";

export type GhostRow = Omit<typeof ghosts.$inferSelect, "folded">;

/** What a ghost says of itself, and the skills its references were resolved to. */
export interface GhostContent {
  namespace: string;
  name: string;
  folded: string;
  spec: GhostSpec;
  skills: { position: number; name: string; range: string; skill_id: string }[];
}

/** A ghost as those see it who only need to find it. */
export interface GhostRef {
  id: string;
  name: string;
  namespace: string;
}

const row = {
  id: ghosts.id,
  userId: ghosts.userId,
  namespace: ghosts.namespace,
  name: ghosts.name,
  spec: ghosts.spec,
  createdAt: ghosts.createdAt,
  updatedAt: ghosts.updatedAt,
};

const ref = { id: ghosts.id, name: ghosts.name, namespace: ghosts.namespace };

/** A user's ghost by id. */
export async function readGhostById(db: Database, userId: string, id: string): Promise<GhostRow | null> {
  const [found] = await db
    .select(row)
    .from(ghosts)
    .where(and(eq(ghosts.id, id), eq(ghosts.userId, userId)));
  return found ?? null;
}

/** A user's ghost whose folded name this is. */
export async function readGhostByName(
  db: Database,
  userId: string,
  namespace: string,
  folded: string,
): Promise<GhostRow | null> {
  const [found] = await db
    .select(row)
    .from(ghosts)
    .where(and(eq(ghosts.userId, userId), eq(ghosts.namespace, namespace), eq(ghosts.folded, folded)));
  return found ?? null;
}

/** A user's ghosts by namespace and name, after a cursor or from a position. */
export function listGhosts(
  db: Database,
  userId: string,
  filter: { namespace: string | undefined; name: string | undefined },
  page: { after: { namespace: string; folded: string } | null; skip: number; limit: number },
): Promise<(GhostRow & { folded: string })[]> {
  const { after } = page;
  return db
    .select({ ...row, folded: ghosts.folded })
    .from(ghosts)
    .where(
      and(
        eq(ghosts.userId, userId),
        filter.namespace === undefined ? undefined : eq(ghosts.namespace, filter.namespace),
        filter.name === undefined ? undefined : eq(ghosts.name, filter.name),
        after === null
          ? undefined
          : sql`(${ghosts.namespace}, ${ghosts.folded}) > (${after.namespace}, ${after.folded})`,
      ),
    )
    .orderBy(ghosts.namespace, ghosts.folded)
    .limit(page.limit)
    .offset(page.skip);
}

/** Makes a ghost. Fails on a constraint when its name is taken. */
export async function insertGhost(
  db: Database,
  id: string,
  userId: string,
  { skills, ...content }: GhostContent,
): Promise<GhostRow> {
  const [rows] = await db.batch([
    db
      .insert(ghosts)
      .values({ id, userId, ...content })
      .returning(row),
    insertReferences(db, id, userId, skills),
    raiseCounters(db, [`user:${userId}`]),
  ]);
  const [made] = rows;
  if (made === undefined) throw new Error("insert returned no row");
  return made;
}

/** Replaces what a ghost says; `null` when it is gone. Fails on a constraint when its new name is taken. */
export async function updateGhost(
  db: Database,
  id: string,
  userId: string,
  { skills, ...content }: GhostContent,
): Promise<GhostRow | null> {
  const [rows] = await db.batch([
    db
      .update(ghosts)
      .set({ ...content, updatedAt: now })
      .where(and(eq(ghosts.id, id), eq(ghosts.userId, userId)))
      .returning(row),
    db
      .delete(ghostSkills)
      .where(sql`${ghostSkills.ghostId} = (SELECT id FROM ghosts WHERE id = ${id} AND user_id = ${userId})`),
    insertReferences(db, id, userId, skills),
    raiseCounters(db, [`user:${userId}`]),
  ]);
  return rows[0] ?? null;
}

/** Deletes a user's ghost with its references; `false` when there is none. */
export async function deleteGhostRows(db: Database, id: string, userId: string): Promise<boolean> {
  const [rows] = await db.batch([
    db
      .delete(ghosts)
      .where(and(eq(ghosts.id, id), eq(ghosts.userId, userId)))
      .returning({ id: ghosts.id }),
    raiseCounters(db, [`user:${userId}`]),
  ]);
  return rows.length > 0;
}

/** The user's own ghosts that refer to a skill, and how many others do. */
export async function readReferences(
  db: Database,
  userId: string,
  skillId: string,
): Promise<{ own: GhostRef[]; others: number }> {
  const [own, counted] = await db.batch([
    selectOwnReferences(db, userId, skillId),
    db.select({ total: sql<number>`count(*)` }).from(ghostSkills).where(eq(ghostSkills.skillId, skillId)),
  ]);
  return { own, others: (counted[0]?.total ?? 0) - own.length };
}

/** Takes a skill out of the user's own ghosts: out of their lists and their preloads. Returns the ghosts it was taken from. */
export async function removeReferences(db: Database, userId: string, skillId: string): Promise<GhostRef[]> {
  const own = sql`SELECT ${ghostSkills.ghostId} FROM ${ghostSkills} WHERE ${ghostSkills.skillId} = ${skillId}`;
  // Entries of the list are `name` or `name@range`; what is compared is the name as the ghost wrote it.
  const without = (list: string) => sql`(
    SELECT json_group_array(entry.value ORDER BY entry.key)
    FROM json_each(${ghosts.spec}, ${list}) AS entry
    WHERE NOT EXISTS (
      SELECT 1 FROM ghost_skills AS gone WHERE gone.skill_id = ${skillId} AND gone.ghost_id = ${ghosts.id}
      AND (entry.value = gone.name OR substr(entry.value, 1, length(gone.name) + 1) = gone.name || '@')))`;
  const spec = sql`json_replace(${ghosts.spec}, '$.skills', ${without("$.skills")}, '$.preload_skills', ${without("$.preload_skills")})`;
  const [affected] = await db.batch([
    selectOwnReferences(db, userId, skillId),
    db
      .update(ghosts)
      .set({ spec, updatedAt: now })
      .where(and(sql`${ghosts.id} IN (${own})`, eq(ghosts.userId, userId))),
    db
      .delete(ghostSkills)
      .where(
        and(
          eq(ghostSkills.skillId, skillId),
          inArray(
            ghostSkills.ghostId,
            sql`(SELECT ${ghosts.id} FROM ${ghosts} WHERE ${ghosts.id} = ${ghostSkills.ghostId} AND ${ghosts.userId} = ${userId})`,
          ),
        ),
      ),
    raiseCounters(db, [`user:${userId}`]),
  ]);
  return affected;
}

function selectOwnReferences(db: Database, userId: string, skillId: string) {
  return db
    .select(ref)
    .from(ghostSkills)
    .innerJoin(ghosts, eq(ghosts.id, ghostSkills.ghostId))
    .where(and(eq(ghostSkills.skillId, skillId), eq(ghosts.userId, userId)))
    .orderBy(ghosts.namespace, ghosts.name);
}

/** References come as JSON: a ghost may have more of them than a statement has parameters. */
function insertReferences(db: Database, ghostId: string, userId: string, skills: GhostContent["skills"]) {
  return db.insert(ghostSkills).select(sql`
    SELECT ${ghostId}, value ->> 'position', value ->> 'name', value ->> 'range', value ->> 'skill_id'
    FROM json_each(${JSON.stringify(skills)})
    WHERE EXISTS (SELECT 1 FROM ghosts WHERE id = ${ghostId} AND user_id = ${userId})`);
}
