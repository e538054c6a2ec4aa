// Finds public skills that were approved from an MCP server, by the source of their current version.

import { and, eq, sql } from "drizzle-orm";
import { PUBLIC_SCOPE } from "../../../domain/access/access";
import type { SkillSource } from "../../../domain/catalog/source";
import type { Database } from "../database";
import { isServersSkill, skills, versionSources, versions } from "../schema/registry";

/** A skill of a server. */
export interface ServerSkillRow {
  id: string;
  name: string;
  description: string;
  versionId: string;
  source: SkillSource;
}

const isOfServer = (server: string) =>
  and(isServersSkill(versionSources.source), sql`json_extract(${versionSources.source}, '$.server') = ${server}`);

/** Statement that reads the skills of a server by name. Cross joins keep SQLite from beginning with all public skills. */
export function skillsOfServer(db: Database, server: string) {
  const isCurrent = and(eq(skills.id, versions.skillId), eq(skills.versionId, versions.id));
  return db
    .select({
      ...{ id: skills.id, name: skills.name, versionId: skills.versionId },
      ...{ description: versions.description, source: versionSources.source },
    })
    .from(versionSources)
    .crossJoin(versions)
    .crossJoin(skills)
    .where(
      and(isOfServer(server), eq(versions.id, versionSources.versionId), isCurrent, eq(skills.scope, PUBLIC_SCOPE)),
    )
    .orderBy(skills.name);
}

/** Returns a skill by its folded name, with the source of its current version, or of its newest one if all are yanked. */
export async function findSkillNamed(db: Database, scope: string, folded: string) {
  const [found] = await db
    .select({ id: skills.id, name: skills.name, versionId: skills.versionId, source: versionSources.source })
    .from(skills)
    .leftJoin(
      versionSources,
      sql`${versionSources.versionId} = coalesce(nullif(${skills.versionId}, ''), (SELECT v.id FROM versions AS v
        WHERE v.skill_id = ${skills.id} ORDER BY v.created_at DESC, v.id DESC LIMIT 1))`,
    )
    .where(and(eq(skills.scope, scope), eq(skills.folded, folded)));
  return found ?? null;
}
