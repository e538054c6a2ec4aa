// How skills are used: counts by day without users, and the shared order of lists that is made of them.

import { and, desc, eq, gte, lt, lte, sql } from "drizzle-orm";
import { PUBLIC_SCOPE } from "../../domain/access/access";
import { dayOf } from "../../domain/access/quota";
import type { UseBatch } from "../../domain/conversation/skill-use";
import { USE_LIMITS } from "../../domain/limits";
import type { Database } from "./database";
import { usage } from "./schema/access";
import { skills, versions } from "./schema/registry";
import { skillOrders, skillUse, skillUseBatches } from "./schema/skill-use";
import { used } from "./usage";

/**
 * Adds a conversation's counts to everybody's, unless this batch was added before; what is of skills that are gone is left out. A
 * user has so many votes a day for the shared order. They are counted beside what is counted for quotas, for a day, and without
 * what they were for: the counts of skills name no user.
 */
export async function addUses(db: Database, userId: string, batch: UseBatch, now: number): Promise<void> {
  const rows = JSON.stringify(batch.counts);
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
            CASE WHEN ${isPublic} AND ${used(votes)} <= ${USE_LIMITS.votes} THEN ${counted("votes")} ELSE 0 END
          FROM ${counts} WHERE ${isNew}`,
      )
      .onConflictDoUpdate({
        target: [skillUse.skillId, skillUse.day, skillUse.versionId],
        set: {
          loads: sum("loads"),
          calls: sum("calls"),
          failures: sum("failures"),
          tokens: sum("tokens"),
          votes: sum("votes"),
        },
      }),
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

/** How a skill was used since a day: by day, the newest first, and by version, those that were loaded most. */
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

/** The public skills with the most votes since a day, then by name. */
export async function readMostUsed(db: Database, since: number, limit: number): Promise<string[]> {
  const votes = sql`sum(${skillUse.votes})`;
  const rows = await db
    .select({ id: skillUse.skillId })
    .from(skillUse)
    // In this order: few skills are used, of all that are public.
    .crossJoin(skills)
    .where(and(gte(skillUse.day, since), eq(skills.id, skillUse.skillId), eq(skills.scope, PUBLIC_SCOPE)))
    // The plus has the days walked, not all of the table in the order of its key.
    .groupBy(sql`+${skillUse.skillId}`)
    .having(sql`${votes} > 0`)
    .orderBy(desc(votes), skills.name)
    .limit(limit);
  return rows.map(({ id }) => id);
}

/** Sets the order that lists have from a day on. That of a day that has begun is never set. */
export async function putSkillOrder(db: Database, day: number, skillIds: string[]): Promise<void> {
  await db
    .insert(skillOrders)
    .values({ day, skillIds })
    .onConflictDoUpdate({ target: skillOrders.day, set: { skillIds } });
}

/** A statement that reads the shared order of a day: that of the last day which has one. */
export function skillOrder(db: Database, day: number) {
  return db
    .select({ skillIds: skillOrders.skillIds })
    .from(skillOrders)
    .where(lte(skillOrders.day, day))
    .orderBy(desc(skillOrders.day))
    .limit(1);
}

/** Forgets counts and batches of before these days, and the orders of days before the one that counts now. */
export async function deleteOldUses(db: Database, today: number, before: { counts: number; batches: number }) {
  await db.batch([
    db.delete(skillUse).where(lt(skillUse.day, before.counts)),
    db.delete(skillUseBatches).where(lt(skillUseBatches.day, before.batches)),
    db
      .delete(skillOrders)
      .where(lt(skillOrders.day, sql`(SELECT max(day) FROM skill_orders AS o WHERE o.day <= ${today})`)),
  ]);
}
