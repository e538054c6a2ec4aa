// Stores values of skills' variables in D1. They are encrypted before they reach this module.

import { and, asc, eq, gt, inArray, isNull, lt, ne, or, sql } from "drizzle-orm";
import type { Database } from "../database";
import { raiseCounters } from "../keys";
import { now, skills } from "../schema/registry";
import { skillEnv } from "../schema/skill-network";
import { watched } from "../secrets";

export type SkillEnvRow = typeof skillEnv.$inferSelect;
export type NewSkillEnv = Pick<
  SkillEnvRow,
  "id" | "scope" | "skillId" | "name" | "hosts" | "keyId" | "iv" | "ciphertext" | "createdBy"
>;
/** A value without the value. */
export type SkillEnvFacts = Pick<
  SkillEnvRow,
  "scope" | "skillId" | "name" | "hosts" | "createdAt" | "updatedAt" | "lastUsedAt"
>;

const facts = {
  scope: skillEnv.scope,
  skillId: skillEnv.skillId,
  name: skillEnv.name,
  hosts: skillEnv.hosts,
  createdAt: skillEnv.createdAt,
  updatedAt: skillEnv.updatedAt,
  lastUsedAt: skillEnv.lastUsedAt,
};

/**
 * Stores values of a skill in one batch: all, or none if the scope then had more than `most` or the skill was deleted. Returns whether they
 * were stored.
 */
export async function putSkillEnv(db: Database, values: readonly NewSkillEnv[], most: number): Promise<boolean> {
  const [first] = values;
  if (first === undefined) return true;
  const isSame = values.map(({ skillId, name }) => and(eq(skillEnv.skillId, skillId), eq(skillEnv.name, name)));
  const others = and(eq(skillEnv.scope, first.scope), sql`NOT (${or(...isSame)})`);
  // The room is the same for every row of the batch: what the batch itself adds is not counted.
  const hasRoom = sql`(SELECT count(*) FROM ${skillEnv} WHERE ${others}) + ${values.length} <= ${most}
    AND EXISTS (SELECT 1 FROM ${skills} WHERE ${skills.id} = ${first.skillId})`;
  const [, ...rest] = values;
  const put = (row: NewSkillEnv) =>
    db
      .insert(skillEnv)
      .select(
        sql`SELECT ${row.id}, ${row.scope}, ${row.skillId}, ${row.name}, ${JSON.stringify(row.hosts)}, ${row.keyId}, ${row.iv},
          ${row.ciphertext}, ${row.createdBy}, ${now}, ${now}, NULL WHERE ${hasRoom}`,
      )
      .onConflictDoUpdate({
        target: [skillEnv.scope, skillEnv.skillId, skillEnv.name],
        set: { hosts: row.hosts, keyId: row.keyId, iv: row.iv, ciphertext: row.ciphertext, updatedAt: now },
      })
      .returning({ id: skillEnv.id });
  const raised = raiseCounters(db, [watched(first.scope)]);
  const [, ...stored] = await db.batch([raised, put(first), ...rest.map(put)]);
  return stored.every((rows) => rows.length > 0);
}

/** Returns values of scopes for a skill, with these names. */
export function readSkillEnv(
  db: Database,
  skillId: string,
  scopes: readonly string[],
  names?: readonly string[],
): Promise<SkillEnvRow[]> {
  return db
    .select()
    .from(skillEnv)
    .where(
      and(
        eq(skillEnv.skillId, skillId),
        inArray(skillEnv.scope, [...scopes]),
        names === undefined ? undefined : inArray(skillEnv.name, [...names]),
      ),
    )
    .orderBy(asc(skillEnv.name));
}

/** Returns values of a scope by id of the skill and name, after the cursor. */
export function listSkillEnv(
  db: Database,
  scope: string,
  limit: number,
  after: { skillId: string; name: string } | null,
): Promise<SkillEnvFacts[]> {
  return db
    .select(facts)
    .from(skillEnv)
    .where(
      and(
        eq(skillEnv.scope, scope),
        after === null
          ? undefined
          : or(
              gt(skillEnv.skillId, after.skillId),
              and(eq(skillEnv.skillId, after.skillId), gt(skillEnv.name, after.name)),
            ),
      ),
    )
    .orderBy(asc(skillEnv.skillId), asc(skillEnv.name))
    .limit(limit);
}

/** Deletes the values of a scope for a skill: one, or all. Returns their names. */
export async function deleteSkillEnv(
  db: Database,
  scope: string,
  skillId: string,
  name: string | undefined,
): Promise<string[]> {
  const [gone] = await db.batch([
    db
      .delete(skillEnv)
      .where(
        and(
          eq(skillEnv.scope, scope),
          eq(skillEnv.skillId, skillId),
          name === undefined ? undefined : eq(skillEnv.name, name),
        ),
      )
      .returning({ name: skillEnv.name }),
    raiseCounters(db, [watched(scope)]),
  ]);
  return gone.map((row) => row.name);
}

/** Records the use of values whose last recorded use is older than `before`. */
export async function touchSkillEnv(db: Database, ids: readonly string[], before: number): Promise<void> {
  await db
    .update(skillEnv)
    .set({ lastUsedAt: now })
    .where(and(inArray(skillEnv.id, [...ids]), or(isNull(skillEnv.lastUsedAt), lt(skillEnv.lastUsedAt, before))));
}

/** Returns some of the values encrypted with other keys, and their number. */
export async function skillEnvUnderOtherKeys(db: Database, keyId: string, limit: number) {
  const other = ne(skillEnv.keyId, keyId);
  const [rows, [counted]] = await db.batch([
    db.select().from(skillEnv).where(other).orderBy(skillEnv.id).limit(limit),
    db.select({ count: sql<number>`count(*)` }).from(skillEnv).where(other),
  ]);
  return { rows, count: counted?.count ?? 0 };
}

/** Replaces the ciphertext of a value, unless it changed meanwhile. */
export function reencryptSkillEnv(
  db: Database,
  row: SkillEnvRow,
  sealed: Pick<SkillEnvRow, "keyId" | "iv" | "ciphertext">,
) {
  return db
    .update(skillEnv)
    .set(sealed)
    .where(and(eq(skillEnv.id, row.id), eq(skillEnv.ciphertext, row.ciphertext)));
}
