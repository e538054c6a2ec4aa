// Reads catalogs from D1: level 1 of the skills a conversation can see, and level 2 of single versions. Never reads R2.

import { and, eq, gt, inArray, isNull, or, type SQL, sql } from "drizzle-orm";
import type { CatalogEntry } from "../../domain/catalog/catalog";
import type { DeclaredNetwork, Described } from "../../domain/conversation/offered";
import type { JsonObject } from "../../domain/json";
import type { Manifest, PackageFile, ToolDeclaration } from "../../domain/package/skill";
import type { Database } from "./database";
import { skills, versions } from "./schema/registry";
import { isListed } from "./skills";
import { describedOfVersion } from "./versions";

/** A requested skill: by name, or by id if a saved ghost resolved it. */
export interface WantedSkill {
  name: string;
  skill_id: string | null;
  /** Also returns older versions, because a range might exclude the current one. */
  any_version: boolean;
}

/** SQL: the author excludes this version from models. */
export const isUserOnly = sql<number>`coalesce(json_extract(${versions.frontmatter}, '$."disable-model-invocation"') IN (1, 'true', 'yes'), 0)`;

/** D1 returns the rows of a batch as objects, so columns with equal names would overwrite each other. Shared columns are renamed. */
export const level1 = {
  name: skills.name,
  skill_id: sql<string>`${skills.id}`.as("level1_skill_id"),
  scope: skills.scope,
  current_id: sql<string>`${skills.versionId}`.as("level1_current_id"),
  version_id: sql<string>`${versions.id}`.as("level1_version_id"),
  version: versions.label,
  description: versions.description,
  line_tokens: versions.tokensLine,
  tokens: versions.tokensInstructions,
  // Read from the row header, without reading the text.
  bytes: sql<number>`octet_length(${versions.instructions})`.as("level1_bytes"),
  has_capabilities: versions.hasCapabilities,
  needs: versions.dependencies,
  // Read from the frontmatter, so it also works for versions stored by earlier gateways.
  user_only: isUserOnly.mapWith(Boolean).as("level1_user_only"),
};

/** A catalog row with the id of its skill's current version. */
export type CatalogRow = Omit<CatalogEntry, "rank"> & { current_id: string };

/** SQL: the shells that can use a version. An empty list means all. */
export function fits(shell: string, bindShells: typeof versions.bindShells | typeof skills.bindShells) {
  return or(isNull(bindShells), sql`EXISTS (SELECT 1 FROM json_each(${bindShells}) WHERE value = ${shell})`);
}

/** Statement that counts the names in these scopes and the tokens of their instructions, using an index only. */
export function countedNames(db: Database, shell: string, scopes: SQL) {
  const names = db
    .select({ most: sql<number>`max(${skills.tokens})`.as("most") })
    .from(skills)
    .where(and(sql`${skills.scope} IN (${scopes})`, isListed, fits(shell, skills.bindShells)))
    .groupBy(skills.name)
    .as("names");
  return db.select({ total: sql<number>`count(*)`, tokens: sql<number>`coalesce(sum(most), 0)` }).from(names);
}

/** Returns the first `limit` skills of each scope after a name, at their current versions. */
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

/** Returns the requested skills in these scopes for this shell: current versions, and older ones where requested. */
export async function wantedSkills(
  db: Database,
  scopes: readonly string[],
  shell: string,
  wanted: readonly WantedSkill[],
): Promise<CatalogRow[]> {
  return distinctRows(...(await db.batch(wantedRows(db, shell, listsOf(scopes, wanted)))));
}

/** Like `wantedSkills`, and also returns the contents of the current versions by version id. */
export async function wantedContents(
  db: Database,
  scopes: readonly string[],
  shell: string,
  wanted: readonly WantedSkill[],
): Promise<{ rows: CatalogRow[]; contents: Map<string, VersionContent> }> {
  const lists = listsOf(scopes, wanted);
  const [byName, byId, contents] = await db.batch([
    ...wantedRows(db, shell, lists),
    currentContents(db, scopes, lists.names, []),
  ]);
  return { rows: distinctRows(byName, byId), contents: contentsIn(contents) };
}

function listsOf(scopes: readonly string[], wanted: readonly WantedSkill[]): WantedLists {
  return {
    scopes: valuesOf(scopes),
    names: valuesOf(wanted.map((skill) => skill.name)),
    older: valuesOf(wanted.filter((skill) => skill.any_version).map((skill) => skill.name)),
    ids: valuesOf(wanted.flatMap((skill) => skill.skill_id ?? [])),
  };
}

/** SQL expressions for lists of texts. */
export interface WantedLists {
  scopes: SQL;
  names: SQL;
  /** Names for which older versions are also requested. */
  older: SQL;
  ids: SQL;
}

/** Statements that find skills by name and by id. */
export function wantedRows(db: Database, shell: string, { scopes, names, older, ids }: WantedLists) {
  const version = and(
    or(eq(versions.id, skills.versionId), sql`${skills.name} IN (${older})`),
    isNull(versions.yankedAt),
    fits(shell, versions.bindShells),
  );
  const rows = () => db.select(level1).from(skills).innerJoin(versions, eq(versions.skillId, skills.id));
  const visible = sql`${skills.scope} IN (${scopes})`;
  return [
    rows().where(and(visible, sql`${skills.name} IN (${names})`, version)),
    rows().where(and(sql`${skills.id} IN (${ids})`, visible, version)),
  ] as const;
}

/** Returns the rows of both lists without duplicates. */
export function distinctRows(byName: readonly CatalogRow[], byId: readonly CatalogRow[]): CatalogRow[] {
  const known = new Set(byName.map((row) => row.version_id));
  return [...byName, ...byId.filter((row) => !known.has(row.version_id))];
}

/** SQL: a list of texts as rows with one column. */
export function valuesOf(texts: readonly string[]): SQL {
  return sql`SELECT value FROM json_each(${JSON.stringify(texts)})`;
}

/** Returns the lowest possible sum of instruction tokens of the named skills, taking the smallest version of each in these scopes. */
export async function minimumTokens(
  db: Database,
  scopes: readonly string[],
  names: readonly string[],
): Promise<number> {
  const [row] = await minimumTokensStatement(db, scopes, names);
  return row?.tokens ?? 0;
}

/** `minimumTokens` as a statement. */
export function minimumTokensStatement(db: Database, scopes: readonly string[], names: readonly string[]) {
  const smallest = db
    .select({ least: sql<number>`min(${versions.tokensInstructions})`.as("least") })
    .from(skills)
    .innerJoin(versions, eq(versions.skillId, skills.id))
    .where(
      and(inArray(skills.scope, [...scopes]), sql`${skills.name} IN (${valuesOf(names)})`, isNull(versions.yankedAt)),
    )
    .groupBy(skills.name)
    .as("smallest");
  return db.select({ tokens: sql<number>`coalesce(sum(least), 0)`.as("tokens") }).from(smallest);
}

/** Everything a version declares beyond level 1. Immutable. */
export interface VersionContent {
  /** SHA-256 of the package. */
  digest: string;
  description: string;
  instructions: string;
  files: PackageFile[];
  config: JsonObject;
  tools: ToolDeclaration[];
  provider: Manifest["provider"] | null;
  /** MCP server entries as the author wrote them. */
  servers: JsonObject;
  /** The hosts that its code calls, and the variables for them; `null` if it declares no host. */
  network: DeclaredNetwork | null;
  /** The provider's tool descriptions, if known. This is the only field that can be added after publishing. */
  described: Described | null;
}

/** Returns the content of versions by version id. Deleted versions are absent. */
export async function readVersionContents(
  db: Database,
  versionIds: readonly string[],
): Promise<Map<string, VersionContent>> {
  return contentsIn(
    await db
      .select(content)
      .from(versions)
      .where(sql`${versions.id} IN (${valuesOf(versionIds)})`),
  );
}

/** Statement that reads the content of the current versions of skills by name, except for the versions in `known`. */
export function currentContents(db: Database, scopes: readonly string[], names: SQL, known: readonly string[]) {
  return db
    .select(content)
    .from(skills)
    .innerJoin(versions, eq(versions.id, skills.versionId))
    .where(
      and(
        sql`${skills.scope} IN (${valuesOf(scopes)})`,
        sql`${skills.name} IN (${names})`,
        sql`${versions.id} NOT IN (${valuesOf(known)})`,
      ),
    );
}

const content = {
  // Renamed for the same reason as in `level1`.
  id: sql<string>`${versions.id}`.as("content_version_id"),
  digest: versions.digest,
  description: versions.description,
  instructions: versions.instructions,
  files: versions.files,
  manifest: versions.manifest,
  described: describedOfVersion,
};

/** Groups rows of `content` by version id. */
export function contentsIn(
  rows: readonly (Pick<VersionContent, "digest" | "description" | "instructions" | "files" | "described"> & {
    id: string;
    manifest: Manifest;
  })[],
): Map<string, VersionContent> {
  return new Map(
    rows.map(({ id, manifest: { config, tools, provider, mcpServers, network, env = [] }, ...rest }) => {
      const declared = network === undefined ? null : { hosts: network, env };
      return [id, { ...rest, config, tools, provider: provider ?? null, servers: mcpServers, network: declared }];
    }),
  );
}
