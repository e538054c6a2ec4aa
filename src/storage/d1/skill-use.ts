// Stores skill usage: counts per day without users, and the shared list order computed from them.

import { and, desc, eq, gte, inArray, lt, lte, sql } from "drizzle-orm";
import { GROUP_PREFIX, PUBLIC_SCOPE } from "../../domain/access/access";
import { dayOf } from "../../domain/access/quota";
import { countsOfDays, type UseBatch } from "../../domain/conversation/skill-use";
import { USE_LIMITS } from "../../domain/limits";
import type { Database } from "./database";
import { addInsights } from "./insights/add";
import { addPredictions, deletePredictionsBefore } from "./predictions";
import { usage } from "./schema/access";
import { skillUsers } from "./schema/ratings";
import { skills, versions } from "./schema/registry";
import { skillOrders, skillUse, skillUseBatches } from "./schema/skill-use";
import { used } from "./usage";

/**
 * Adds a conversation's counts, unless this batch was added before. Counts of deleted skills are dropped. A user has a limited number of
 * votes per day for the shared order. They are counted with the quotas, for one day and without the skills they were for, because usage
 * counts contain no users.
 */
export async function addUses(db: Database, userId: string, batch: UseBatch, now: number): Promise<void> {
  const rows = JSON.stringify(batch.counts);
  // One row per day and version, although the counts are per hour.
  const perDay = sql`json_each(${JSON.stringify(countsOfDays(batch.counts))})`;
  const isNew = sql`NOT EXISTS (SELECT 1 FROM ${skillUseBatches} WHERE ${skillUseBatches.id} = ${batch.id})`;
  const votes = { subject: userId, kind: "votes", windowStart: dayOf(now) };
  const isPublic = sql`${skills.scope} = ${PUBLIC_SCOPE}`;
  const counts = sql`json_each(${rows}) AS asked CROSS JOIN ${skills} ON ${skills.id} = asked.value ->> 'skill_id'`;
  const counted = (name: string) => sql`asked.value ->> ${sql.raw(`'${name}'`)}`;
  const sum = (name: string) => sql.raw(`${name} + excluded.${name}`);
  await db.batch([
    db
      .insert(usage)
      .select(
        sql`SELECT ${userId}, ${votes.kind}, ${votes.windowStart}, sum(${counted("votes")}) FROM ${counts}
          WHERE ${isPublic} AND ${isNew} HAVING sum(${counted("votes")}) > 0`,
      )
      .onConflictDoUpdate({
        target: [usage.subject, usage.kind, usage.windowStart],
        set: { count: sql`${usage.count} + excluded.count` },
      }),
    db
      .insert(skillUse)
      .select(
        sql`SELECT ${counted("day")}, ${skills.id}, ${counted("version_id")}, ${counted("loads")}, ${counted("calls")},
            ${counted("failures")}, ${counted("tokens")},
            CASE WHEN ${isPublic} AND ${used(votes)} <= ${USE_LIMITS.votes} THEN ${counted("votes")} ELSE 0 END,
            0, ${counted("found")}, ${counted("scripts_ok")}, ${counted("scripts_failed")}, ${counted("scripts_killed")},
            ${counted("liked")}, ${counted("disliked")}
          FROM ${perDay} AS asked CROSS JOIN ${skills} ON ${skills.id} = asked.value ->> 'skill_id' WHERE ${isNew}`,
      )
      .onConflictDoUpdate({
        target: [skillUse.skillId, skillUse.day, skillUse.versionId],
        set: {
          loads: sum("loads"),
          calls: sum("calls"),
          failures: sum("failures"),
          tokens: sum("tokens"),
          votes: sum("votes"),
          found: sum("found"),
          scriptsOk: sum("scripts_ok"),
          scriptsFailed: sum("scripts_failed"),
          scriptsKilled: sum("scripts_killed"),
          liked: sum("liked"),
          disliked: sum("disliked"),
        },
      }),
    // Who loaded a skill that others use, too: only they can rate it.
    db
      .insert(skillUsers)
      .select(
        sql`SELECT ${userId}, ${skills.id}, max(${counted("day")}) FROM ${counts}
          WHERE ${counted("loads")} > 0 AND (${isPublic} OR ${skills.scope} LIKE ${`${GROUP_PREFIX}%`}) GROUP BY ${skills.id}`,
      )
      .onConflictDoUpdate({
        target: [skillUsers.userId, skillUsers.skillId],
        set: { day: sql`max(${skillUsers.day}, excluded.day)` },
      }),
    addPredictions(db, batch.predictions, isNew),
    ...addInsights(db, userId, batch, isNew),
    db
      .insert(skillUseBatches)
      .values({ id: batch.id, day: dayOf(now) })
      .onConflictDoNothing(),
  ]);
}

const sums = {
  loads: sql<number>`sum(${skillUse.loads})`.as("loads"),
  calls: sql<number>`sum(${skillUse.calls})`.as("calls"),
  failures: sql<number>`sum(${skillUse.failures})`.as("failures"),
  tokens: sql<number>`sum(${skillUse.tokens})`.as("tokens"),
};

/** Returns the usage of a skill since a day: by day, newest first, and by version, most loaded first. */
export async function readSkillUse(db: Database, skillId: string, since: number) {
  const those = and(eq(skillUse.skillId, skillId), gte(skillUse.day, since));
  const [days, byVersion] = await db.batch([
    db
      .select({ day: skillUse.day, ...sums })
      .from(skillUse)
      .where(those)
      .groupBy(skillUse.day)
      .orderBy(desc(skillUse.day)),
    db
      .select({ version_id: skillUse.versionId, version: versions.label, ...sums })
      .from(skillUse)
      .leftJoin(versions, eq(versions.id, skillUse.versionId))
      .where(those)
      .groupBy(skillUse.versionId)
      .orderBy(desc(sums.loads), desc(skillUse.versionId))
      .limit(USE_LIMITS.versions),
  ]);
  return { days, versions: byVersion };
}

/**
 * Returns the usage of all skills of these scopes since a day: by day, newest first, the most loaded skills, and the sums of the same number
 * of days before.
 */
export async function readScopesUse(
  db: Database,
  scopes: readonly string[],
  { before, since, top: most }: { before: number; since: number; top: number },
) {
  // The unary plus makes SQLite read the days' index, then each skill by its id, because few of the skills are used.
  const of = (from: number) => and(gte(skillUse.day, from), inArray(sql`+${skills.scope}`, [...scopes]));
  const joined = eq(skills.id, skillUse.skillId);
  const [days, [distinct], top, [earlier]] = await db.batch([
    db
      .select({ day: skillUse.day, ...sums })
      .from(skillUse)
      .innerJoin(skills, joined)
      .where(of(since))
      .groupBy(skillUse.day)
      .orderBy(desc(skillUse.day)),
    db
      .select({ skills: sql<number>`count(DISTINCT +${skillUse.skillId})` })
      .from(skillUse)
      .innerJoin(skills, joined)
      .where(of(since)),
    db
      .select({ skill_id: skills.id, skill_name: skills.name, ...sums })
      .from(skillUse)
      .innerJoin(skills, joined)
      .where(of(since))
      .groupBy(sql`+${skillUse.skillId}`)
      .orderBy(desc(sums.loads), skills.name, skills.id)
      .limit(most),
    db
      .select(sums)
      .from(skillUse)
      .innerJoin(skills, joined)
      .where(and(of(before), lt(skillUse.day, since))),
  ]);
  // Sums of no rows are null.
  const { loads, calls, failures, tokens } = earlier ?? {};
  return {
    ...{ days, top, skills: distinct?.skills ?? 0 },
    earlier: { loads: loads ?? 0, calls: calls ?? 0, failures: failures ?? 0, tokens: tokens ?? 0 },
  };
}

/** Returns the loads of these skills since a day, by skill. Skills without loads are absent. */
export async function readLoadsOf(db: Database, ids: readonly string[], since: number): Promise<Map<string, number>> {
  const rows = await db
    .select({ id: skillUse.skillId, loads: sums.loads })
    .from(skillUse)
    .where(
      and(sql`${skillUse.skillId} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`, gte(skillUse.day, since)),
    )
    .groupBy(skillUse.skillId);
  return new Map(rows.map(({ id, loads }) => [id, loads]));
}

/** Returns the public skills with the most votes since a day, then by name. */
export async function readMostUsed(db: Database, since: number, limit: number): Promise<string[]> {
  const votes = sql`sum(${skillUse.votes})`;
  const rows = await db
    .select({ id: skillUse.skillId })
    .from(skillUse)
    // In this order, because few of the public skills are used.
    .crossJoin(skills)
    .where(and(gte(skillUse.day, since), eq(skills.id, skillUse.skillId), eq(skills.scope, PUBLIC_SCOPE)))
    // The unary plus makes SQLite read the days' index instead of the whole table in key order.
    .groupBy(sql`+${skillUse.skillId}`)
    .having(sql`${votes} > 0`)
    .orderBy(desc(votes), skills.name)
    .limit(limit);
  return rows.map(({ id }) => id);
}

/** Sets the list order from a day on. The order of a day that has begun is never changed. */
export async function putSkillOrder(db: Database, day: number, skillIds: string[]): Promise<void> {
  await db
    .insert(skillOrders)
    .values({ day, skillIds })
    .onConflictDoUpdate({ target: skillOrders.day, set: { skillIds } });
}

/** Statement that reads the shared order of a day: that of the last day which has one. */
export function skillOrder(db: Database, day: number) {
  return db
    .select({ skillIds: skillOrders.skillIds })
    .from(skillOrders)
    .where(lte(skillOrders.day, day))
    .orderBy(desc(skillOrders.day))
    .limit(1);
}

/** Deletes counts and batches from before these days, and orders older than the current one. */
export async function deleteOldUses(db: Database, today: number, before: { counts: number; batches: number }) {
  await db.batch([
    db.delete(skillUse).where(lt(skillUse.day, before.counts)),
    deletePredictionsBefore(db, before.counts),
    db.delete(skillUseBatches).where(lt(skillUseBatches.day, before.batches)),
    db
      .delete(skillOrders)
      .where(lt(skillOrders.day, sql`(SELECT max(day) FROM skill_orders AS o WHERE o.day <= ${today})`)),
  ]);
}
