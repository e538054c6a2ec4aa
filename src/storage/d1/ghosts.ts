// Stores ghosts with their references to skills.

import { and, eq, sql } from "drizzle-orm";
import { userScope } from "../../domain/access/access";
import { byPlace, type GhostPlace, type GhostSpec, sharedPart } from "../../domain/catalog/ghost";
import type { Database } from "./database";
import { raiseCounters } from "./keys";
import { ghostChanged } from "./registry/ghost-references";
import { ghostSkills, ghosts } from "./schema/registry";

export type GhostRow = Omit<typeof ghosts.$inferSelect, "folded" | "shared">;

/** The spec of a ghost, and the skills its references resolved to. */
export interface GhostContent {
  namespace: string;
  name: string;
  folded: string;
  spec: GhostSpec;
  skills: { position: number; name: string; range: string; skill_id: string }[];
}

/** The scope of a new ghost and its creator. */
export interface GhostOwner {
  scope: string;
  userId: string;
}

const row = {
  id: ghosts.id,
  userId: ghosts.userId,
  scope: ghosts.scope,
  namespace: ghosts.namespace,
  name: ghosts.name,
  spec: ghosts.spec,
  createdAt: ghosts.createdAt,
  updatedAt: ghosts.updatedAt,
};

/** Returns a ghost by id, in any scope. */
export async function readGhostById(db: Database, id: string): Promise<GhostRow | null> {
  const [found] = await db.select(row).from(ghosts).where(eq(ghosts.id, id));
  return found ?? null;
}

/** Returns the ghost of a scope with this folded name. */
export async function readGhostByName(
  db: Database,
  scope: string,
  namespace: string,
  folded: string,
): Promise<GhostRow | null> {
  const [found] = await db
    .select(row)
    .from(ghosts)
    .where(and(eq(ghosts.scope, scope), eq(ghosts.namespace, namespace), eq(ghosts.folded, folded)));
  return found ?? null;
}

/** Filters for lists. `q` must occur in the folded name. */
export interface GhostFilter {
  namespace: string | undefined;
  name: string | undefined;
  q?: string | undefined;
}

/** Returns ghosts of these scopes by namespace and name, after a position or from an offset. Reads each scope along its index. */
export async function listGhosts(
  db: Database,
  scopes: readonly string[],
  filter: GhostFilter,
  page: { after: GhostPlace | null; skip: number; limit: number },
): Promise<(GhostRow & { folded: string })[]> {
  const { after } = page;
  const most = page.skip + page.limit;
  const [first, ...others] = scopes.map((scope) => {
    // If two ghosts have the same name, the scope decides the order. Ghosts at the position itself may still follow in a later scope.
    const later = after !== null && sharedPart(scope) > after.shared ? sql`>=` : sql`>`;
    return db
      .select({ id: ghosts.id, namespace: ghosts.namespace, folded: ghosts.folded, scope: ghosts.scope })
      .from(ghosts)
      .where(
        and(
          eq(ghosts.scope, scope),
          filter.namespace === undefined ? undefined : eq(ghosts.namespace, filter.namespace),
          filter.name === undefined ? undefined : eq(ghosts.name, filter.name),
          filter.q === undefined ? undefined : sql`instr(${ghosts.folded}, ${filter.q}) > 0`,
          after === null
            ? undefined
            : sql`(${ghosts.namespace}, ${ghosts.folded}) ${later} (${after.namespace}, ${after.folded})`,
        ),
      )
      .orderBy(ghosts.namespace, ghosts.folded)
      .limit(most);
  });
  if (first === undefined) return [];
  // System prompts are long, so only those of this page are read.
  const places = (await db.batch([first, ...others])).flat().sort(byPlace).slice(page.skip, most);
  const ids = JSON.stringify(places.map((place) => place.id));
  const rows = await db
    .select({ ...row, folded: ghosts.folded })
    .from(ghosts)
    .where(sql`${ghosts.id} IN (SELECT value FROM json_each(${ids}))`);
  return rows.sort(byPlace);
}

/** Creates a ghost. Fails with a constraint error if the name is taken. */
export async function insertGhost(
  db: Database,
  id: string,
  { scope, userId }: GhostOwner,
  { skills, ...content }: GhostContent,
): Promise<GhostRow> {
  const shared = scope === userScope(userId) ? null : scope;
  const [rows] = await db.batch([
    db
      .insert(ghosts)
      .values({ id, userId, shared, ...content })
      .returning(row),
    insertReferences(db, id, scope, skills),
    raiseCounters(db, [scope]),
  ]);
  const [made] = rows;
  if (made === undefined) throw new Error("insert returned no row");
  return made;
}

/**
 * Replaces the content of a ghost in this scope. Returns `null` if it does not exist. Fails with a constraint error if the new name is
 * taken, or if the ghost changed since `seen`; then nothing is written.
 */
export async function updateGhost(
  db: Database,
  id: string,
  scope: string,
  { skills, ...content }: GhostContent,
  seen: number | null = null,
): Promise<GhostRow | null> {
  // The column is never NULL, so this value makes the batch fail.
  const updatedAt =
    seen === null ? ghostChanged : sql`CASE WHEN ${ghosts.updatedAt} = ${seen} THEN ${ghostChanged} END`;
  const [rows] = await db.batch([
    db
      .update(ghosts)
      .set({ ...content, updatedAt })
      .where(and(eq(ghosts.id, id), eq(ghosts.scope, scope)))
      .returning(row),
    db
      .delete(ghostSkills)
      .where(sql`${ghostSkills.ghostId} = (SELECT id FROM ghosts WHERE id = ${id} AND scope = ${scope})`),
    insertReferences(db, id, scope, skills),
    raiseCounters(db, [scope]),
  ]);
  return rows[0] ?? null;
}

/** Deletes a ghost of this scope with its references. Returns `false` if it does not exist. */
export async function deleteGhostRows(db: Database, id: string, scope: string): Promise<boolean> {
  const [rows] = await db.batch([
    db
      .delete(ghosts)
      .where(and(eq(ghosts.id, id), eq(ghosts.scope, scope)))
      .returning({ id: ghosts.id }),
    raiseCounters(db, [scope]),
  ]);
  return rows.length > 0;
}

/** References are passed as JSON, because a ghost can have more of them than a statement has parameters. */
function insertReferences(db: Database, ghostId: string, scope: string, skills: GhostContent["skills"]) {
  return db.insert(ghostSkills).select(sql`
    SELECT ${ghostId}, value ->> 'position', value ->> 'name', value ->> 'range', value ->> 'skill_id'
    FROM json_each(${JSON.stringify(skills)})
    WHERE EXISTS (SELECT 1 FROM ghosts WHERE id = ${ghostId} AND scope = ${scope})`);
}
