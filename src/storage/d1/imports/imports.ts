// Imports in D1: where each stands. Whatever a run writes holds for that run alone: one that was cancelled or begun anew is left alone.

import { and, asc, desc, eq, inArray, lt, lte, or, type SQL, sql } from "drizzle-orm";
import type { ImportProblem, ImportSource, ImportState } from "../../../domain/imports/import";
import type { Database } from "../database";
import { imports } from "../schema/imports";
import { now } from "../schema/registry";

export type ImportRow = typeof imports.$inferSelect;
export type NewImport = Pick<
  ImportRow,
  "id" | "scope" | "identity" | "userId" | "credential" | "isMirror" | "startedAt"
> & { source: ImportSource };

/**
 * Begins a run: of a new import while its scope has fewer than `most`, or of the one that this source has there already, which then is
 * whoever begins it. `null`: there is no room. A batch, so that a record of it can go along.
 */
export async function beginImport(db: Database, row: NewImport, most: number): Promise<ImportRow | null> {
  const { id, scope, source, identity, userId, credential, isMirror, startedAt } = row;
  const again = { source, userId, credential, isMirror, startedAt, ...begun() };
  const [, found] = await db.batch([
    db
      .insert(imports)
      .select(
        sql`SELECT ${id}, ${scope}, ${JSON.stringify(source)}, ${identity}, ${userId}, ${credential}, ${isMirror ? 1 : 0},
          1, 'running', NULL, NULL, NULL, ${now}, ${startedAt}, ${now}, ${startedAt}
          WHERE EXISTS (SELECT 1 FROM imports WHERE scope = ${scope} AND identity = ${identity})
            OR (SELECT count(*) FROM imports WHERE scope = ${scope}) < ${most}`,
      )
      .onConflictDoUpdate({ target: [imports.scope, imports.identity], set: again }),
    db
      .select()
      .from(imports)
      .where(and(eq(imports.scope, scope), eq(imports.identity, identity))),
  ]);
  return found[0] ?? null;
}

/** What is new in a run that begins. */
function begun() {
  return {
    ...{ run: sql`${imports.run} + 1`, state: "running" as const, problem: null, cursor: null, total: null },
    ...{ updatedAt: now, nextAt: sql`excluded.started_at` },
  };
}

/** An import; `null` when there is none. */
export async function readImport(db: Database, id: string): Promise<ImportRow | null> {
  const [found] = await db.select().from(imports).where(eq(imports.id, id));
  return found ?? null;
}

/** The import that a scope has of a source; `null` when it has none. */
export async function findImport(db: Database, scope: string, identity: string): Promise<ImportRow | null> {
  const [found] = await db
    .select()
    .from(imports)
    .where(and(eq(imports.scope, scope), eq(imports.identity, identity)));
  return found ?? null;
}

/** All imports of some scopes, each scope's newest first. */
export function listImports(db: Database, scopes: readonly string[]): Promise<ImportRow[]> {
  return db
    .select()
    .from(imports)
    .where(inArray(imports.scope, [...scopes]))
    .orderBy(asc(imports.scope), desc(imports.createdAt), desc(imports.id));
}

/** What changes of an import while it runs. */
export interface ImportChange {
  state?: ImportState;
  problem?: ImportProblem | null;
  cursor?: string | null;
  total?: number;
  isMirror?: boolean;
  nextAt?: number | null;
}

/** Writes where a run stands. `false`: it is not the run any more, or was ended by somebody. */
export async function updateImport(
  db: Database,
  { id, run }: Pick<ImportRow, "id" | "run">,
  change: ImportChange,
): Promise<boolean> {
  const [moved] = await db.batch([
    db
      .update(imports)
      .set({ ...change, updatedAt: now })
      .where(and(eq(imports.id, id), eq(imports.run, run), underWay()))
      .returning({ id: imports.id }),
  ]);
  return moved.length > 0;
}

/** Begins the next run of a mirror that rests. `false`: somebody else did, or it is none any more. */
export async function restartMirror(db: Database, { id, run }: Pick<ImportRow, "id" | "run">, at: number) {
  const [moved] = await db.batch([
    db
      .update(imports)
      .set({ ...begun(), startedAt: at, nextAt: at })
      .where(and(eq(imports.id, id), eq(imports.run, run), eq(imports.isMirror, true), sql`NOT ${underWay()}`))
      .returning({ id: imports.id }),
  ]);
  return moved.length > 0;
}

/** Ends a run for good, and the mirror with it. `false`: nothing was under way and it was no mirror. */
export async function cancelImport(db: Database, id: string): Promise<boolean> {
  const [ended] = await db.batch([
    db
      .update(imports)
      .set({
        state: sql`CASE WHEN ${underWay()} THEN 'cancelled' ELSE ${imports.state} END`,
        ...{ isMirror: false, nextAt: null, updatedAt: now },
      })
      .where(and(eq(imports.id, id), or(underWay(), eq(imports.isMirror, true))))
      .returning({ id: imports.id }),
  ]);
  return ended.length > 0;
}

/** Forgets an import, and what came from its source. `false`: there was none. */
export async function deleteImport(db: Database, id: string): Promise<boolean> {
  const [gone] = await db.batch([db.delete(imports).where(eq(imports.id, id)).returning({ id: imports.id })]);
  return gone.length > 0;
}

/** Imports that should have gone on by themselves before this and did not. */
export function stalledImports(db: Database, before: number, limit: number): Promise<Pick<ImportRow, "id">[]> {
  return db
    .select({ id: imports.id })
    .from(imports)
    .where(and(lte(imports.nextAt, before), lt(imports.updatedAt, before)))
    .orderBy(imports.nextAt)
    .limit(limit);
}

/** The imports that a user's erasure takes along. */
export function ownImports(db: Database, scope: string): Promise<Pick<ImportRow, "id">[]> {
  return db.select({ id: imports.id }).from(imports).where(eq(imports.scope, scope));
}

function underWay(): SQL {
  return inArray(imports.state, ["running", "waiting"]);
}
