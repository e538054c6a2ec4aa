// Reads from D1 which hosts and variables the versions of skills declare.

import { and, eq, sql } from "drizzle-orm";
import type { Database } from "../database";
import { skills, versions } from "../schema/registry";
import { skillNetworks } from "../schema/skill-network";

/** What the current version of a skill declares for its code, and the hosts that are approved. */
export interface SkillNetwork {
  id: string;
  name: string;
  scope: string;
  /** The current version. */
  versionId: string | null;
  /** Both are empty if the skill has no current version. */
  hosts: string[];
  env: string[];
  approved: string[];
}

/** Returns the network of a skill, in any scope. */
export async function readSkillNetwork(db: Database, skillId: string): Promise<SkillNetwork | null> {
  const [found] = await db
    .select({
      id: skills.id,
      name: skills.name,
      scope: skills.scope,
      versionId: skills.versionId,
      manifest: versions.manifest,
      approved: skillNetworks.hosts,
    })
    .from(skills)
    .leftJoin(versions, eq(versions.id, skills.versionId))
    .leftJoin(skillNetworks, eq(skillNetworks.skillId, skills.id))
    .where(eq(skills.id, skillId));
  if (found === undefined) return null;
  const { manifest, approved, ...skill } = found;
  return { ...skill, hosts: manifest?.network ?? [], env: manifest?.env ?? [], approved: approved ?? [] };
}

/** Returns the hosts that at least one version of a skill declares. */
export async function hostsOfVersions(db: Database, skillId: string): Promise<string[]> {
  const rows = await db
    .selectDistinct({ host: sql<string>`declared.value` })
    .from(versions)
    .innerJoin(sql`json_each(${versions.manifest}, '$.network') AS declared`, sql`true`)
    .where(eq(versions.skillId, skillId))
    .orderBy(sql`declared.value`);
  return rows.map(({ host }) => host);
}

/** Returns the ids of the skills with this name in these scopes, with or without a current version. */
export async function skillsNamed(db: Database, scopes: readonly string[], name: string): Promise<string[]> {
  const rows = await db
    .select({ id: skills.id })
    .from(skills)
    .where(and(sql`${skills.scope} IN (SELECT value FROM json_each(${JSON.stringify(scopes)}))`, eq(skills.name, name)))
    .orderBy(skills.id);
  return rows.map(({ id }) => id);
}

/** Returns the names of skills by id, of those in the scopes. */
export async function namesOfSkills(
  db: Database,
  scopes: readonly string[],
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await db
    .select({ id: skills.id, name: skills.name })
    .from(skills)
    .where(
      and(
        sql`${skills.scope} IN (SELECT value FROM json_each(${JSON.stringify(scopes)}))`,
        sql`${skills.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
      ),
    );
  return new Map(rows.map(({ id, name }) => [id, name]));
}
