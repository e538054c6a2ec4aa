// Stores the result of each skill of an import source in D1.

import { and, asc, eq, gt, isNotNull, isNull, ne, sql } from "drizzle-orm";
import type { ImportItemState } from "../../../domain/imports/import";
import { foldName } from "../../../domain/package/path";
import type { Database } from "../database";
import { importItems } from "../schema/imports";
import { skills } from "../schema/registry";
import type { ImportRow } from "./imports";

export type ImportItem = typeof importItems.$inferSelect;
export type NewItem = Pick<ImportItem, "name" | "state" | "problem" | "digest" | "skillId" | "versionId">;

type Run = Pick<ImportRow, "id" | "run">;

/** Returns what is stored about every skill of a source. */
export function storedItemsOf(db: Database, importId: string) {
  return db
    .select({ name: importItems.name, digest: importItems.digest, skillId: importItems.skillId })
    .from(importItems)
    .where(eq(importItems.importId, importId));
}

/** Returns what is stored about these names, and the skills of the scope that have them. */
export async function findExistingNames(
  db: Database,
  { id, scope }: Pick<ImportRow, "id" | "scope">,
  names: readonly string[],
): Promise<{ items: Map<string, ImportItem>; skills: Map<string, { id: string; name: string; versionId: string }> }> {
  const folded = JSON.stringify(names.map(foldName));
  const [items, found] = await db.batch([
    db
      .select()
      .from(importItems)
      .where(
        and(
          eq(importItems.importId, id),
          sql`${importItems.name} IN (SELECT value FROM json_each(${JSON.stringify(names)}))`,
        ),
      ),
    db
      .select({ id: skills.id, name: skills.name, folded: skills.folded, versionId: skills.versionId })
      .from(skills)
      .where(and(eq(skills.scope, scope), sql`${skills.folded} IN (SELECT value FROM json_each(${folded}))`)),
  ]);
  return {
    items: new Map(items.map((item) => [item.name, item])),
    skills: new Map(found.map(({ folded: key, ...skill }) => [key, skill])),
  };
}

/** Stores the result for one skill. Fails with a constraint error if the import was deleted. */
export async function putItem(db: Database, { id, run }: Run, item: NewItem): Promise<void> {
  const { name, ...facts } = item;
  const change = { ...facts, run, removedAt: null };
  await db
    .insert(importItems)
    .values({ importId: id, name, ...change })
    .onConflictDoUpdate({ target: [importItems.importId, importItems.name], set: change });
}

/** Records that a run found these skills unchanged. */
export async function keepItems(db: Database, { id, run }: Run, names: readonly string[]): Promise<void> {
  await db
    .update(importItems)
    .set({ run, state: "unchanged", problem: null, removedAt: null })
    .where(
      and(
        eq(importItems.importId, id),
        sql`${importItems.name} IN (SELECT value FROM json_each(${JSON.stringify(names)}))`,
      ),
    );
}

/** At the end of a run: marks imported skills that the source no longer has, and deletes the records of names that were never imported. */
export async function markRemoved(db: Database, { id, run }: Run, at: number): Promise<void> {
  const unseen = and(eq(importItems.importId, id), ne(importItems.run, run));
  await db.batch([
    db.delete(importItems).where(and(unseen, isNull(importItems.skillId))),
    db
      .update(importItems)
      .set({ removedAt: at })
      .where(and(unseen, isNull(importItems.removedAt))),
  ]);
}

/** Counts the results of the last run by state. `removed`: the source no longer has the skill. */
export async function countItems(
  db: Database,
  { id, run }: Run,
): Promise<Partial<Record<ImportItemState, number>> & { removed: number }> {
  const [states, removed] = await db.batch([
    db
      .select({ state: importItems.state, count: sql<number>`count(*)` })
      .from(importItems)
      .where(and(eq(importItems.importId, id), eq(importItems.run, run)))
      .groupBy(importItems.state),
    db
      .select({ count: sql<number>`count(*)` })
      .from(importItems)
      .where(and(eq(importItems.importId, id), isNotNull(importItems.removedAt))),
  ]);
  return { ...Object.fromEntries(states.map(({ state, count }) => [state, count])), removed: removed[0]?.count ?? 0 };
}

/** Returns a page by name: all, those of the last run in a state, or those the source no longer has. */
export function listItems(
  db: Database,
  { id, run }: Run,
  wanted: ImportItemState | "removed" | null,
  limit: number,
  after: string,
): Promise<ImportItem[]> {
  const which =
    wanted === null
      ? undefined
      : wanted === "removed"
        ? isNotNull(importItems.removedAt)
        : and(eq(importItems.state, wanted), eq(importItems.run, run));
  return db
    .select()
    .from(importItems)
    .where(and(eq(importItems.importId, id), gt(importItems.name, after), which))
    .orderBy(asc(importItems.name))
    .limit(limit);
}
