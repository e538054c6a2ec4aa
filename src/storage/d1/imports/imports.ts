// Stores the state of imports in D1. Writes of a run apply only to that run: cancelled and restarted imports are not changed.

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
 * Starts a run: of a new import while its scope has fewer than `most`, or of the existing import of this source, which then belongs to the
 * caller. Returns `null` if there is no room. Runs as a batch so that an audit record can be added.
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

/** Column values of a run that starts. */
function begun() {
  return {
    ...{ run: sql`${imports.run} + 1`, state: "running" as const, problem: null, cursor: null, total: null },
    ...{ updatedAt: now, nextAt: sql`excluded.started_at` },
  };
}

/** Returns an import, or `null`. */
export async function readImport(db: Database, id: string): Promise<ImportRow | null> {
  const [found] = await db.select().from(imports).where(eq(imports.id, id));
  return found ?? null;
}

/** Returns the import of a source in a scope, or `null`. */
export async function findImport(db: Database, scope: string, identity: string): Promise<ImportRow | null> {
  const [found] = await db
    .select()
    .from(imports)
    .where(and(eq(imports.scope, scope), eq(imports.identity, identity)));
  return found ?? null;
}

/** Returns all imports of these scopes, newest first within a scope. */
export function listImports(db: Database, scopes: readonly string[]): Promise<ImportRow[]> {
  return db
    .select()
    .from(imports)
    .where(inArray(imports.scope, [...scopes]))
    .orderBy(asc(imports.scope), desc(imports.createdAt), desc(imports.id));
}

/** The columns that change while an import runs. */
export interface ImportChange {
  state?: ImportState;
  problem?: ImportProblem | null;
  cursor?: string | null;
  total?: number;
  isMirror?: boolean;
  nextAt?: number | null;
}

/** Stores the state of a run. Returns `false` if it is no longer the current run or was ended. */
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

/** Starts the next run of an idle mirror. Returns `false` if it already runs or is not a mirror any more. */
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

/** Cancels a run and stops mirroring. Returns `false` if nothing was running and it was not a mirror. */
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

/** Deletes an import and the records of its skills. Returns `false` if it does not exist. */
export async function deleteImport(db: Database, id: string): Promise<boolean> {
  const [gone] = await db.batch([db.delete(imports).where(eq(imports.id, id)).returning({ id: imports.id })]);
  return gone.length > 0;
}

/** Returns imports whose next step is overdue since before this time. */
export function stalledImports(db: Database, before: number, limit: number): Promise<Pick<ImportRow, "id">[]> {
  return db
    .select({ id: imports.id })
    .from(imports)
    .where(and(lte(imports.nextAt, before), lt(imports.updatedAt, before)))
    .orderBy(imports.nextAt)
    .limit(limit);
}

/** Returns the imports that are deleted when the user is erased. */
export function ownImports(db: Database, scope: string): Promise<Pick<ImportRow, "id">[]> {
  return db.select({ id: imports.id }).from(imports).where(eq(imports.scope, scope));
}

function underWay(): SQL {
  return inArray(imports.state, ["running", "waiting"]);
}
