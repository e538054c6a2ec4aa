// Stores rollouts of versions, and reads what their comparison needs.

import { and, eq, gt, isNotNull, isNull, lt, type SQLWrapper, sql } from "drizzle-orm";
import type { Outcomes } from "../../../domain/insights/comparison";
import type { SkillEvent } from "../../../domain/webhooks/webhooks";
import { type CatalogRow, fits, level1 } from "../catalog";
import type { Database } from "../database";
import type { FigureScopes } from "../insights/read";
import { raiseCounters } from "../keys";
import { now, skills, versions } from "../schema/registry";
import { rollouts } from "../schema/rollouts";
import { skillUse } from "../schema/skill-use";
import { queueEvent } from "../webhooks";

export type RolloutRow = typeof rollouts.$inferSelect;

/** A candidate of a rollout as a row of the catalog, and its share. */
export type CandidateRow = CatalogRow & { percent: number };

/** Rollouts of a scope that a conversation reads. */
const MOST_ROLLOUTS = 200;

const scopesIn = (scopes: readonly string[]) => sql`(SELECT value FROM json_each(${JSON.stringify(scopes)}))`;

/** Statement that reads the candidates of the rollouts in these scopes that a shell can use. */
export function candidateRows(db: Database, scopes: readonly string[], shell: string) {
  return db
    .select({ ...level1, percent: sql<number>`${rollouts.percent}`.as("rollout_percent") })
    .from(rollouts)
    .crossJoin(skills)
    .innerJoin(versions, eq(versions.id, rollouts.candidateId))
    .where(
      and(
        sql`${rollouts.scope} IN ${scopesIn(scopes)}`,
        isNotNull(rollouts.percent),
        eq(skills.id, rollouts.skillId),
        isNull(versions.yankedAt),
        fits(shell, versions.bindShells),
      ),
    )
    .limit(MOST_ROLLOUTS);
}

/** Starts a rollout, or changes its share. Returns `false` if the candidate is current, yanked or gone. */
export async function putRollout(
  db: Database,
  skill: { id: string; scope: string },
  { candidateId, percent }: { candidateId: string; percent: number },
): Promise<boolean> {
  const kept = (column: string) =>
    sql.raw(`CASE WHEN rollouts.candidate_id = excluded.candidate_id AND rollouts.percent IS NOT NULL
    THEN rollouts.${column} ELSE excluded.${column} END`);
  const [rows] = await db.batch([
    db
      .insert(rollouts)
      .select(
        sql`SELECT ${skill.id}, ${skill.scope}, ${candidateId}, ${skills.versionId}, ${percent}, ${now}, 0, NULL, NULL
          FROM ${skills} WHERE ${skills.id} = ${skill.id} AND ${skills.versionId} NOT IN ('', ${candidateId})
          AND EXISTS (SELECT 1 FROM ${versions} AS v WHERE v.id = ${candidateId} AND v.skill_id = ${skill.id} AND v.yanked_at IS NULL)`,
      )
      .onConflictDoUpdate({
        target: rollouts.skillId,
        set: {
          startedAt: kept("started_at"),
          looks: kept("looks"),
          failingAt: kept("failing_at"),
          found: kept("found"),
          formerId: sql`excluded.former_id`,
          candidateId: sql`excluded.candidate_id`,
          percent: sql`excluded.percent`,
        },
      })
      .returning({ skillId: rollouts.skillId }),
    raiseCounters(db, [skill.scope]),
  ]);
  return rows.length > 0;
}

/** Ends a rollout. Returns `false` if there is none. */
export async function deleteRollout(db: Database, skill: { id: string; scope: string }): Promise<boolean> {
  const [gone] = await db.batch([
    db
      .delete(rollouts)
      .where(and(eq(rollouts.skillId, skill.id), isNotNull(rollouts.percent)))
      .returning({ skillId: rollouts.skillId }),
    raiseCounters(db, [skill.scope]),
  ]);
  return gone.length > 0;
}

const DAY_MS = 24 * 60 * 60_000;
/** Time before a version became current in which the version before is counted. */
const FORMER_MS = 30 * DAY_MS;

/** SQL: the day from which a version is counted. Both arms of a rollout begin with it. */
const startDay = sql`(${rollouts.startedAt} - ${rollouts.startedAt} % ${DAY_MS})`;
const formerDay = sql`(${startDay} - CASE WHEN ${rollouts.percent} IS NULL THEN ${FORMER_MS} ELSE 0 END)`;

const outcomes = (version: SQLWrapper, since: SQLWrapper, sum: string, name: string) =>
  sql<number>`coalesce((SELECT ${sql.raw(sum)} FROM ${skillUse} AS u WHERE u.skill_id = ${rollouts.skillId}
    AND u.day >= ${since} AND u.version_id = ${version}), 0)`.as(name);

/** A use is a call or a rated turn. */
const USES = "sum(u.calls + u.liked + u.disliked)";
const FAILURES = "sum(u.failures + u.disliked)";

const compared = {
  skillId: rollouts.skillId,
  scope: rollouts.scope,
  name: sql<string>`${skills.name}`.as("rollout_name"),
  candidateId: rollouts.candidateId,
  formerId: rollouts.formerId,
  percent: rollouts.percent,
  startedAt: rollouts.startedAt,
  looks: rollouts.looks,
  failingAt: rollouts.failingAt,
  found: rollouts.found,
  candidateLabel: sql<string | null>`(SELECT label FROM versions WHERE id = ${rollouts.candidateId})`.as(
    "candidate_label",
  ),
  formerLabel: sql<string | null>`(SELECT label FROM versions WHERE id = ${rollouts.formerId})`.as("former_label"),
  candidateUses: outcomes(rollouts.candidateId, startDay, USES, "candidate_uses"),
  candidateFailures: outcomes(rollouts.candidateId, startDay, FAILURES, "candidate_failures"),
  formerUses: outcomes(rollouts.formerId, formerDay, USES, "former_uses"),
  formerFailures: outcomes(rollouts.formerId, formerDay, FAILURES, "former_failures"),
};

/** A version with the numbers of both. */
export type ComparedVersion = Awaited<ReturnType<typeof readComparisons>>[number];

/** Returns versions to compare that started after a time, the oldest first. */
export function readComparisons(
  db: Database,
  since: number,
  after: { startedAt: number; skillId: string },
  limit: number,
) {
  return db
    .select(compared)
    .from(rollouts)
    .crossJoin(skills)
    .where(
      and(
        isNull(rollouts.failingAt),
        gt(rollouts.startedAt, since),
        sql`(${rollouts.startedAt}, ${rollouts.skillId}) > (${after.startedAt}, ${after.skillId})`,
        eq(skills.id, rollouts.skillId),
      ),
    )
    .orderBy(rollouts.startedAt, rollouts.skillId)
    .limit(limit);
}

/** Returns the comparison of a skill's versions; `null` if there is none. */
export async function readComparison(db: Database, skillId: string): Promise<ComparedVersion | null> {
  const [found] = await db
    .select(compared)
    .from(rollouts)
    .crossJoin(skills)
    .where(and(eq(rollouts.skillId, skillId), eq(skills.id, rollouts.skillId)));
  return found ?? null;
}

/** Returns the versions that fail more often than the version before, the latest first. */
export function readFailing(db: Database, scopes: FigureScopes, limit: number) {
  return db
    .select(compared)
    .from(rollouts)
    .crossJoin(skills)
    .where(
      and(
        isNotNull(rollouts.failingAt),
        scopes === "all" ? gt(rollouts.scope, "") : sql`${rollouts.scope} IN ${scopesIn(scopes)}`,
        eq(skills.id, rollouts.skillId),
      ),
    )
    .orderBy(sql`${rollouts.failingAt} DESC`, rollouts.skillId)
    .limit(limit);
}

/** Records a comparison. With an event, also that the version fails more often, once. */
export async function recordLook(
  db: Database,
  { skillId, candidateId }: Pick<RolloutRow, "skillId" | "candidateId">,
  looks: number,
  failing: { event: SkillEvent; candidate: Outcomes; former: Outcomes } | null,
): Promise<void> {
  const those = and(eq(rollouts.skillId, skillId), eq(rollouts.candidateId, candidateId), isNull(rollouts.failingAt));
  if (failing === null) {
    await db.update(rollouts).set({ looks }).where(those);
    return;
  }
  const { event, candidate, former } = failing;
  const open = sql`EXISTS (SELECT 1 FROM rollouts AS r WHERE r.skill_id = ${skillId} AND r.candidate_id = ${candidateId} AND r.failing_at IS NULL)`;
  await db.batch([
    queueEvent(db, event, open),
    db
      .update(rollouts)
      .set({ looks, failingAt: now, found: [candidate.uses, candidate.failures, former.uses, former.failures] })
      .where(those),
  ]);
}

/** Deletes comparisons of current versions that started before a time. */
export async function deleteOldComparisons(db: Database, before: number): Promise<void> {
  await db
    .delete(rollouts)
    .where(and(lt(rollouts.startedAt, before), isNull(rollouts.failingAt), isNull(rollouts.percent)));
}
