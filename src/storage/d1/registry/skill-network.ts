// Stores in D1 which hosts code of a skill can call.

import { and, eq, sql } from "drizzle-orm";
import type { Database } from "../database";
import { raiseCounters } from "../keys";
import { now, skills } from "../schema/registry";
import { skillNetworks } from "../schema/skill-network";

/** Returns the approved hosts of a skill; empty if there are none. */
export async function readApprovedNetwork(db: Database, skillId: string): Promise<string[]> {
  const [found] = await db
    .select({ hosts: skillNetworks.hosts })
    .from(skillNetworks)
    .where(eq(skillNetworks.skillId, skillId));
  return found?.hosts ?? [];
}

/** Returns the approved hosts of the skill of this name in a scope; empty if there are none. */
export async function approvedNetworkByName(db: Database, scope: string, name: string): Promise<string[]> {
  const [found] = await db
    .select({ hosts: skillNetworks.hosts })
    .from(skills)
    .innerJoin(skillNetworks, eq(skillNetworks.skillId, skills.id))
    .where(and(eq(skills.scope, scope), eq(skills.name, name)));
  return found?.hosts ?? [];
}

/**
 * Replaces the approved hosts of a skill, and raises the counter of its scope, so that no run uses an earlier state. Without hosts, the row is
 * deleted. Does nothing if the skill was deleted meanwhile. With `seen`, the batch fails with a constraint error if the skill has another
 * current version or other approved hosts by now.
 */
export async function putApprovedNetwork(
  db: Database,
  { id: skillId, scope }: { id: string; scope: string },
  hosts: readonly string[],
  seen: { versionId: string | null; approved: readonly string[] } | null = null,
): Promise<void> {
  const raised = raiseCounters(db, [scope]);
  const isOfSkill = eq(skillNetworks.skillId, skillId);
  const change =
    hosts.length === 0
      ? db.delete(skillNetworks).where(isOfSkill)
      : db
          .insert(skillNetworks)
          .select(
            sql`SELECT ${skills.id}, ${JSON.stringify(hosts)}, ${now} FROM ${skills} WHERE ${skills.id} = ${skillId}`,
          )
          .onConflictDoUpdate({
            target: skillNetworks.skillId,
            set: { hosts: sql`excluded.hosts`, updatedAt: now },
          });
  await db.batch(seen === null ? [change, raised] : [failsUnless(db, skillId, seen), change, raised]);
}

/** Returns a statement that inserts nothing, or a row without hosts, which fails the batch. */
function failsUnless(
  db: Database,
  skillId: string,
  { versionId, approved }: { versionId: string | null; approved: readonly string[] },
) {
  return db.insert(skillNetworks).select(
    sql`SELECT ${skills.id}, NULL, ${now} FROM ${skills} LEFT JOIN ${skillNetworks} ON ${skillNetworks.skillId} = ${skills.id}
      WHERE ${skills.id} = ${skillId}
        AND (${skills.versionId} IS NOT ${versionId} OR coalesce(${skillNetworks.hosts}, '[]') <> ${JSON.stringify(approved)})`,
  );
}
