// Finds public skills that were approved from an MCP server, by the source of their current version.

import { and, eq, sql } from "drizzle-orm";
import { PUBLIC_SCOPE } from "../../../domain/access/access";
import type { SkillSource } from "../../../domain/catalog/source";
import type { Database } from "../database";
import { skills, versionSources, versions } from "../schema/registry";

/** A skill of a server. */
export interface ServerSkillRow {
  id: string;
  name: string;
  description: string;
  source: SkillSource;
}

const isOfServer = (server: string) =>
  sql`json_extract(${versionSources.source}, '$.type') = 'mcp' AND json_extract(${versionSources.source}, '$.server') = ${server}`;

/** Statement that reads the skills of a server by name. */
export function skillsOfServer(db: Database, server: string) {
  return db
    .select({ id: skills.id, name: skills.name, description: versions.description, source: versionSources.source })
    .from(versionSources)
    .innerJoin(versions, eq(versions.id, versionSources.versionId))
    .innerJoin(skills, eq(skills.versionId, versions.id))
    .where(and(eq(skills.scope, PUBLIC_SCOPE), isOfServer(server)))
    .orderBy(skills.name);
}

/** Returns a skill by its folded name, with the source of its current version. */
export async function findSkillNamed(db: Database, scope: string, folded: string) {
  const [found] = await db
    .select({ id: skills.id, name: skills.name, versionId: skills.versionId, source: versionSources.source })
    .from(skills)
    .leftJoin(versionSources, eq(versionSources.versionId, skills.versionId))
    .where(and(eq(skills.scope, scope), eq(skills.folded, folded)));
  return found ?? null;
}
