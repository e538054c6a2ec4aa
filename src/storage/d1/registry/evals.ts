// Stores runs of test cases, and reads the two runs that a comparison needs.

import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { Database } from "../database";
import { evalRuns } from "../schema/evals";
import { skills, versions } from "../schema/registry";

/** A run without its cases, and the version that has its content. */
export type EvalRunRow = Awaited<ReturnType<typeof readEvalRuns>>[number];

/** The newest run of a content, and that of the version to compare with; `undefined` if one of them does not exist. */
export type EvalComparison = Awaited<ReturnType<typeof selectComparison>>[number] | undefined;

const newestOf = (skillId: SQL, digest: SQL) =>
  sql`(SELECT e.id FROM eval_runs AS e WHERE e.skill_id = ${skillId} AND e.digest = ${digest} ORDER BY e.id DESC LIMIT 1)`;

const current = alias(versions, "current_version");
const former = alias(versions, "former_version");
const run = alias(evalRuns, "run");
const formerRun = alias(evalRuns, "former_run");

/**
 * Statement that reads the newest run of a content and that of the version to compare with: the current version, or, if it has this content
 * or no run, the newest version before it that has a run and other content.
 */
export function selectComparison(db: Database, which: SQL | undefined, digest: SQL) {
  const formerId = sql`(SELECT v.id FROM versions AS v WHERE v.skill_id = ${skills.id} AND v.digest <> ${digest}
    AND (v.created_at, v.id) <= (${current.createdAt}, ${current.id})
    AND EXISTS (SELECT 1 FROM eval_runs AS e WHERE e.skill_id = v.skill_id AND e.digest = v.digest)
    ORDER BY v.created_at DESC, v.id DESC LIMIT 1)`;
  return db
    .select({
      versionId: sql<string>`${former.id}`.as("former_id"),
      label: sql<string | null>`${former.label}`.as("former_label"),
      before: sql`${formerRun.cases}`.mapWith(evalRuns.cases).as("former_cases"),
      now: sql`${run.cases}`.mapWith(evalRuns.cases).as("run_cases"),
    })
    .from(skills)
    .innerJoin(run, eq(run.id, newestOf(sql`${skills.id}`, digest)))
    .innerJoin(current, eq(current.id, skills.versionId))
    .innerJoin(former, eq(former.id, formerId))
    .innerJoin(formerRun, eq(formerRun.id, newestOf(sql`${skills.id}`, sql`${former.digest}`)))
    .where(which);
}

/**
 * Returns the newest test run of a skill whose files are those of `versionId`, which can be a draft of another scope, and the comparison of
 * this run with the version before. `run` is `null` if the skill does not exist or has no run of these files.
 */
export async function readRunOfContent(db: Database, skill: { scope: string; folded: string }, versionId: string) {
  const digest = sql`(SELECT digest FROM versions WHERE id = ${versionId})`;
  const which = and(eq(skills.scope, skill.scope), eq(skills.folded, skill.folded));
  const [[found], [comparison]] = await db.batch([
    db
      .select({
        runner: evalRuns.runner,
        model: evalRuns.model,
        createdBy: evalRuns.createdBy,
        createdAt: sql<number>`${evalRuns.createdAt}`.as("recorded_at"),
        cases: evalRuns.cases,
      })
      .from(skills)
      .innerJoin(evalRuns, eq(evalRuns.id, newestOf(sql`${skills.id}`, digest)))
      .where(which),
    selectComparison(db, which, digest),
  ]);
  return { run: found ?? null, comparison };
}

/** Returns the comparison of a version. */
export async function readComparisonOf(db: Database, versionId: string): Promise<EvalComparison> {
  const of = (column: "skill_id" | "digest") => sql`(SELECT ${sql.raw(column)} FROM versions WHERE id = ${versionId})`;
  const [found] = await selectComparison(db, sql`${skills.id} = ${of("skill_id")}`, of("digest"));
  return found;
}

/** Stores a run, deletes the oldest ones above the limits, and returns the version that has the content, and the comparison. */
export async function insertEvalRun(
  db: Database,
  row: Omit<typeof evalRuns.$inferInsert, "createdAt">,
  { perContent, perSkill }: { perContent: number; perSkill: number },
): Promise<{ version: { id: string; label: string | null } | null; comparison: EvalComparison }> {
  const { skillId, digest } = row;
  const surplus = (ids: SQL) => db.delete(evalRuns).where(sql`${evalRuns.id} IN (${ids})`);
  const [, , , [comparison], [version = null]] = await db.batch([
    db.insert(evalRuns).values(row),
    surplus(sql`SELECT e.id FROM eval_runs AS e WHERE e.skill_id = ${skillId} AND e.digest = ${digest}
      ORDER BY e.id DESC LIMIT -1 OFFSET ${perContent}`),
    // Runs of published versions stay before those of content that was never published.
    surplus(sql`SELECT e.id FROM eval_runs AS e WHERE e.skill_id = ${skillId}
      ORDER BY EXISTS (SELECT 1 FROM versions AS v WHERE v.skill_id = e.skill_id AND v.digest = e.digest) DESC, e.id DESC
      LIMIT -1 OFFSET ${perSkill}`),
    selectComparison(db, eq(skills.id, skillId), sql`${digest}`),
    db
      .select({ id: versions.id, label: versions.label })
      .from(versions)
      .where(and(eq(versions.skillId, skillId), eq(versions.digest, digest))),
  ]);
  return { version, comparison };
}

const columns = {
  id: evalRuns.id,
  digest: evalRuns.digest,
  createdBy: sql<string>`${evalRuns.createdBy}`.as("recorded_by"),
  createdAt: sql<number>`${evalRuns.createdAt}`.as("recorded_at"),
  runner: evalRuns.runner,
  model: evalRuns.model,
  passed: evalRuns.passed,
  failed: evalRuns.failed,
  versionId: sql<string | null>`${versions.id}`.as("version_id"),
  label: versions.label,
  isNewest: sql<number>`(${evalRuns.id} = ${newestOf(sql`${evalRuns.skillId}`, sql`${evalRuns.digest}`)})`.as(
    "is_newest",
  ),
};

const ofVersion = and(eq(versions.skillId, evalRuns.skillId), eq(versions.digest, evalRuns.digest));

/** Returns the runs of a skill, newest first. */
export function readEvalRuns(db: Database, skillId: string, limit: number) {
  return db
    .select(columns)
    .from(evalRuns)
    .leftJoin(versions, ofVersion)
    .where(eq(evalRuns.skillId, skillId))
    .orderBy(desc(evalRuns.id))
    .limit(limit);
}

/** Returns a run of a skill with its cases. */
export async function readEvalRun(db: Database, skillId: string, id: string) {
  const [found] = await db
    .select({ ...columns, cases: evalRuns.cases })
    .from(evalRuns)
    .leftJoin(versions, ofVersion)
    .where(and(eq(evalRuns.id, id), eq(evalRuns.skillId, skillId)));
  return found ?? null;
}

/** Returns the digest of a version of a skill. */
export async function readContentOf(db: Database, skillId: string, versionId: string): Promise<string | null> {
  const [found] = await db
    .select({ digest: versions.digest })
    .from(versions)
    .where(and(eq(versions.id, versionId), eq(versions.skillId, skillId)));
  return found?.digest ?? null;
}
