// Reading catalogs from D1: level 1 of what a conversation may see, and level 2 of single versions. Never R2.

import { and, eq, gt, inArray, isNull, or, sql } from "drizzle-orm";
import { PUBLIC_SCOPE } from "../../domain/access/access";
import type { CatalogEntry } from "../../domain/catalog/catalog";
import type { JsonObject } from "../../domain/json";
import type { PackageFile } from "../../domain/package/skill";
import type { Database } from "./database";
import { ghostSkills, ghosts, skills, versions } from "./schema/registry";
import { isListed } from "./skills";
import { serversOfVersion } from "./versions";

/** A wanted skill: by name, and by id where a saved ghost resolved it. */
export interface WantedSkill {
  name: string;
  skill_id: string | null;
  /** Whether older versions may be wanted, because a range might not take the current one. */
  any_version: boolean;
}

/** SQL: a version's author keeps it from models. */
export const isUserOnly = sql<number>`coalesce(json_extract(${versions.frontmatter}, '$."disable-model-invocation"') IN (1, 'true', 'yes'), 0)`;

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
  // Read from the row's header: the text itself is not touched.
  bytes: sql<number>`octet_length(${versions.instructions})`.as("level1_bytes"),
  has_capabilities: versions.hasCapabilities,
  needs: versions.dependencies,
  // From the frontmatter, so that it holds for versions that an earlier gateway stored, too.
  user_only: isUserOnly.mapWith(Boolean).as("level1_user_only"),
};

/** A catalog row, with the id of its skill's current version. */
export type CatalogRow = Omit<CatalogEntry, "rank"> & { current_id: string };

/** Which shells may use a version: all of them, or those it lists. */
function fits(shell: string, bindShells: typeof versions.bindShells | typeof skills.bindShells) {
  return or(isNull(bindShells), sql`EXISTS (SELECT 1 FROM json_each(${bindShells}) WHERE value = ${shell})`);
}

/** The beginning of all that some scopes hold, and how much there is. */
export interface CatalogStart {
  /** The first `limit` skills by name of each scope, and the public ones that are asked for, at their current versions. */
  rows: CatalogRow[];
  /** Skills in all scopes together, one name counted once, and the tokens of their instructions. */
  total: number;
  tokens: number;
}

/**
 * Reads the start of a catalog in one round trip. Every scope is one walk along its index; counting never leaves it.
 *
 * @param used ids of public skills to be had wherever their names stand
 */
export async function readCatalogStart(
  db: Database,
  scopes: readonly string[],
  shell: string,
  limit: number,
  used: readonly string[],
): Promise<CatalogStart> {
  const names = db
    .select({ most: sql<number>`max(${skills.tokens})`.as("most") })
    .from(skills)
    .where(and(inArray(skills.scope, [...scopes]), isListed, fits(shell, skills.bindShells)))
    .groupBy(skills.name)
    .as("names");
  const shown = used.length > 0 && scopes.includes(PUBLIC_SCOPE) ? [JSON.stringify(used)] : [];
  const [counted, ...walks] = await db.batch([
    db.select({ total: sql<number>`count(*)`, tokens: sql<number>`coalesce(sum(most), 0)` }).from(names),
    ...shown.map((ids) =>
      db
        .select(level1)
        .from(skills)
        .innerJoin(versions, eq(versions.id, skills.versionId))
        // The plus keeps the scope from being walked whole.
        .where(
          and(
            sql`${skills.id} IN (SELECT value FROM json_each(${ids}))`,
            sql`+${skills.scope} = ${PUBLIC_SCOPE}`,
            fits(shell, skills.bindShells),
          ),
        ),
    ),
    ...scopes.map((scope) =>
      db
        .select(level1)
        .from(skills)
        .innerJoin(versions, eq(versions.id, skills.versionId))
        .where(and(eq(skills.scope, scope), fits(shell, skills.bindShells)))
        .orderBy(skills.name)
        .limit(limit),
    ),
  ]);
  // One that is used may also be among the first by name.
  const rows = new Map(walks.flat().map((row) => [row.skill_id, row]));
  return { rows: [...rows.values()], total: counted[0]?.total ?? 0, tokens: counted[0]?.tokens ?? 0 };
}

/** The first `limit` skills after a name of each scope, at their current versions. */
export async function readCatalogAfter(
  db: Database,
  scopes: readonly string[],
  shell: string,
  after: string,
  limit: number,
): Promise<CatalogRow[]> {
  const [first, ...walks] = scopes.map((scope) =>
    db
      .select(level1)
      .from(skills)
      .innerJoin(versions, eq(versions.id, skills.versionId))
      .where(and(eq(skills.scope, scope), gt(skills.name, after), fits(shell, skills.bindShells)))
      .orderBy(skills.name)
      .limit(limit),
  );
  return first === undefined ? [] : (await db.batch([first, ...walks])).flat();
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
  const version = and(
    or(eq(versions.id, skills.versionId), sql`${skills.name} IN (SELECT value FROM json_each(${older}))`),
    isNull(versions.yankedAt),
  );
  const rows = () => db.select(level1).from(skills).innerJoin(versions, eq(versions.skillId, skills.id));
  const [byName, byId] = await db.batch([
    rows().where(
      and(
        visible,
        sql`${skills.name} IN (SELECT value FROM json_each(${names}))`,
        version,
        fits(shell, versions.bindShells),
      ),
    ),
    rows().where(
      and(
        sql`${skills.id} IN (SELECT value FROM json_each(${ids}))`,
        visible,
        version,
        fits(shell, versions.bindShells),
      ),
    ),
  ]);
  const known = new Set(byName.map((row) => row.version_id));
  return [...byName, ...byId.filter((row) => !known.has(row.version_id))];
}

/** The fewest tokens of instructions that the named skills can have together, each at its smallest version in these scopes. */
export async function fewestTokens(db: Database, scopes: readonly string[], names: readonly string[]): Promise<number> {
  const smallest = db
    .select({ least: sql<number>`min(${versions.tokensInstructions})`.as("least") })
    .from(skills)
    .innerJoin(versions, eq(versions.skillId, skills.id))
    .where(
      and(
        inArray(skills.scope, [...scopes]),
        sql`${skills.name} IN (SELECT value FROM json_each(${JSON.stringify(names)}))`,
        isNull(versions.yankedAt),
      ),
    )
    .groupBy(skills.name)
    .as("smallest");
  const [row] = await db.select({ tokens: sql<number>`coalesce(sum(least), 0)` }).from(smallest);
  return row?.tokens ?? 0;
}

/**
 * A ghost of these scopes by id or name, with the ids its skills were resolved to; `null` when there is none.
 *
 * @param scopes first wins where several have one of this name
 */
export async function readGhost(db: Database, scopes: readonly string[], ghost: string) {
  const ranked = JSON.stringify(scopes);
  const scopesIn = sql`(SELECT value FROM json_each(${ranked}))`;
  const [found] = await db
    .select({ id: ghosts.id, name: ghosts.name, scope: ghosts.scope, spec: ghosts.spec })
    .from(ghosts)
    .where(
      // Said twice, for each of the two a walk along its own index: the plus keeps the scopes from being walked whole.
      and(
        or(eq(ghosts.id, ghost), and(sql`${ghosts.scope} IN ${scopesIn}`, eq(ghosts.name, ghost))),
        sql`+${ghosts.scope} IN ${scopesIn}`,
      ),
    )
    .orderBy(
      sql`${ghosts.id} = ${ghost} DESC`,
      sql`(SELECT key FROM json_each(${ranked}) WHERE value = ${ghosts.scope})`,
      ghosts.createdAt,
    )
    .limit(1);
  if (found === undefined) return null;
  const resolved = await db
    .select({ name: ghostSkills.name, skill_id: ghostSkills.skillId })
    .from(ghostSkills)
    .where(eq(ghostSkills.ghostId, found.id))
    .orderBy(ghostSkills.position);
  return { ...found, resolved };
}

/** What a version is beyond level 1: its instructions, its files, and the servers that it brings. Immutable. */
export interface VersionContent {
  description: string;
  instructions: string;
  files: PackageFile[];
  servers: JsonObject;
}

/** The content of versions, by version id. One that is gone is absent. */
export async function readVersionContents(
  db: Database,
  versionIds: readonly string[],
): Promise<Map<string, VersionContent>> {
  const rows = await db
    .select({
      id: versions.id,
      description: versions.description,
      instructions: versions.instructions,
      files: versions.files,
      servers: serversOfVersion,
    })
    .from(versions)
    .where(sql`${versions.id} IN (SELECT value FROM json_each(${JSON.stringify(versionIds)}))`);
  return new Map(rows.map(({ id, ...content }) => [id, content]));
}
