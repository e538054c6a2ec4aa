// Reading catalogs from D1: level 1 of what a conversation may see, and level 2 of single versions. Never R2.

import { and, eq, inArray, isNull, or, sql } from "drizzle-orm";
import type { CatalogEntry } from "../domain/catalog";
import type { Database } from "./database";
import { ghostSkills, ghosts, skills, versions } from "./schema";

/** A wanted skill: by name, and by id where a saved ghost resolved it. */
export interface WantedSkill {
  name: string;
  skill_id: string | null;
  /** Whether older versions may be wanted, because a range might not take the current one. */
  any_version: boolean;
}

/** D1 gives the rows of a batch as objects, so two columns of one name would become one: what both tables have is renamed. */
const level1 = {
  name: skills.name,
  skill_id: sql<string>`${skills.id}`.as("level1_skill_id"),
  scope: skills.scope,
  current_id: sql<string>`${skills.versionId}`.as("level1_current_id"),
  version_id: sql<string>`${versions.id}`.as("level1_version_id"),
  version: versions.label,
  description: versions.description,
  line_tokens: versions.tokensLine,
  tokens: versions.tokensInstructions,
  has_capabilities: versions.hasCapabilities,
  needs: versions.dependencies,
};

/** A catalog row, with the id of its skill's current version. */
export type CatalogRow = CatalogEntry & { current_id: string };

/** Which shells may use a version: all of them, or those it lists. */
function fits(shell: string) {
  return or(
    isNull(versions.bindShells),
    sql`EXISTS (SELECT 1 FROM json_each(${versions.bindShells}) WHERE value = ${shell})`,
  );
}

/** The first `limit` skills by name of each scope at their current versions; every scope is one walk along its index. */
export async function firstSkills(
  db: Database,
  scopes: readonly string[],
  shell: string,
  limit: number,
): Promise<CatalogRow[]> {
  const [first, ...rest] = scopes.map((scope) =>
    db
      .select(level1)
      .from(skills)
      .innerJoin(versions, eq(versions.id, skills.versionId))
      .where(and(eq(skills.scope, scope), fits(shell)))
      .orderBy(skills.name)
      .limit(limit),
  );
  if (first === undefined) return [];
  return (await db.batch([first, ...rest])).flat();
}

/** How many skills all scopes hold together, one name counted once, and the tokens of their instructions. */
export async function countSkills(
  db: Database,
  scopes: readonly string[],
  shell: string,
): Promise<{ total: number; tokens: number }> {
  const names = db
    .select({ tokens: sql<number>`max(${versions.tokensInstructions})`.as("tokens") })
    .from(skills)
    .innerJoin(versions, eq(versions.id, skills.versionId))
    .where(and(inArray(skills.scope, [...scopes]), fits(shell)))
    .groupBy(skills.name)
    .as("names");
  const [row] = await db
    .select({ total: sql<number>`count(*)`, tokens: sql<number>`coalesce(sum(tokens), 0)` })
    .from(names);
  return { total: row?.total ?? 0, tokens: row?.tokens ?? 0 };
}

/** The wanted skills that lie in the scopes, for this shell: at their current versions, and older ones where asked. */
export async function wantedSkills(
  db: Database,
  scopes: readonly string[],
  shell: string,
  wanted: readonly WantedSkill[],
): Promise<CatalogRow[]> {
  const names = JSON.stringify(wanted.map((skill) => skill.name));
  const older = JSON.stringify(wanted.filter((skill) => skill.any_version).map((skill) => skill.name));
  const ids = JSON.stringify(wanted.flatMap((skill) => skill.skill_id ?? []));
  const visible = sql`${skills.scope} IN (SELECT value FROM json_each(${JSON.stringify(scopes)}))`;
  const version = or(eq(versions.id, skills.versionId), sql`${skills.name} IN (SELECT value FROM json_each(${older}))`);
  const rows = () => db.select(level1).from(skills).innerJoin(versions, eq(versions.skillId, skills.id));
  const [byName, byId] = await db.batch([
    rows().where(and(visible, sql`${skills.name} IN (SELECT value FROM json_each(${names}))`, version, fits(shell))),
    rows().where(and(sql`${skills.id} IN (SELECT value FROM json_each(${ids}))`, visible, version, fits(shell))),
  ]);
  const known = new Set(byName.map((row) => row.version_id));
  return [...byName, ...byId.filter((row) => !known.has(row.version_id))];
}

/** A ghost of this user by id or name, with the ids its skills were resolved to; `null` when there is none. */
export async function readGhost(db: Database, userId: string, ghost: string) {
  const [found] = await db
    .select({ id: ghosts.id, name: ghosts.name, spec: ghosts.spec })
    .from(ghosts)
    .where(and(eq(ghosts.userId, userId), or(eq(ghosts.id, ghost), eq(ghosts.name, ghost))))
    .orderBy(sql`${ghosts.id} = ${ghost} DESC`, ghosts.createdAt)
    .limit(1);
  if (found === undefined) return null;
  const resolved = await db
    .select({ name: ghostSkills.name, skill_id: ghostSkills.skillId })
    .from(ghostSkills)
    .where(eq(ghostSkills.ghostId, found.id))
    .orderBy(ghostSkills.position);
  return { ...found, resolved };
}

/** Level 2 of versions: their instructions, by version id. */
export async function readInstructions(db: Database, versionIds: readonly string[]): Promise<Map<string, string>> {
  const rows = await db
    .select({ id: versions.id, instructions: versions.instructions })
    .from(versions)
    .where(sql`${versions.id} IN (SELECT value FROM json_each(${JSON.stringify(versionIds)}))`);
  return new Map(rows.map((row) => [row.id, row.instructions]));
}

/** A version's file list and size of what is in it; `null` when it is gone. */
export async function readVersionFiles(db: Database, versionId: string) {
  const [row] = await db
    .select({ files: versions.files, description: versions.description, instructions: versions.instructions })
    .from(versions)
    .where(eq(versions.id, versionId));
  return row ?? null;
}
