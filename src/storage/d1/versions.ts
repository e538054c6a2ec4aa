// Reads versions: the list of a skill's versions, the files of a package, the analysis of its code, and which versions exist.

import { and, desc, eq, isNotNull, or, sql } from "drizzle-orm";
import * as z from "zod";
import type { Provenance } from "../../domain/access/provenance";
import type { SkillSource } from "../../domain/catalog/source";
import { type ScriptVerdict, scriptVerdictSchema } from "../../domain/code/check/verdict";
import { type Described, describedSchema } from "../../domain/conversation/offered";
import type { Issue } from "../../domain/errors";
import { type JsonObject, jsonObject } from "../../domain/json";
import type { Manifest, PackageFile } from "../../domain/package/skill";
import { blockedFor } from "./compat/version-blocks";
import type { Database } from "./database";
import { provenanceOfVersion } from "./registry/provenance";
import { sourceOfVersion } from "./registry/sources";
import { reviewOfVersion, type VersionReview } from "./review/approval";
import { skills, versionCode, versionNumbers, versions } from "./schema/registry";

/** A version in the list of its skill's versions. */
export interface VersionSummary {
  id: string;
  number: number;
  label: string | null;
  zipSha256: string;
  zipSize: number;
  uploadSha256: string;
  warnings: Issue[];
  createdBy: string;
  createdAt: number;
  yankedAt: number | null;
  source: SkillSource | null;
  /** Where a trusted publisher built it. */
  provenance: Provenance | null;
  /** The review that approved it. */
  review: VersionReview | null;
  /** The reason for which an admin blocked it; `null`: not blocked. */
  blockedFor: string | null;
}

/** A version's package and files, with the skill it belongs to. */
export interface PackageRow {
  name: string;
  scope: string;
  versionId: string;
  label: string | null;
  zipSha256: string;
  zipSize: number;
  files: PackageFile[];
  /** MCP server entries as the author wrote them. */
  servers: JsonObject;
  /** The declared source. */
  source: SkillSource | null;
  /** Where a trusted publisher built it. */
  provenance: Provenance | null;
  /** The review that approved it. */
  review: VersionReview | null;
  /** Milliseconds since the epoch. */
  publishedAt: number;
}

/** SQL, next to `versions`: the number of the version, counted from 1. */
export const numberOfVersion = sql<number>`(SELECT number FROM ${versionNumbers}
  WHERE version_id = ${versions.id})`.as("version_number");

/** SQL: only the MCP servers of a version's manifest, because a manifest can be long. */
export const serversOfVersion = sql`json_extract(${versions.manifest}, '$.mcpServers')`.mapWith((text: string) =>
  jsonObject.parse(JSON.parse(text)),
);

/** Returns the package of a version by id or label; without `version`, of the current version. */
export async function readVersionPackage(
  db: Database,
  skillId: string,
  version: string | undefined,
): Promise<PackageRow | null> {
  const wanted = version === undefined ? eq(versions.id, skills.versionId) : isVersion(version);
  const [found] = await db
    .select({
      name: skills.name,
      scope: skills.scope,
      versionId: versions.id,
      label: versions.label,
      zipSha256: versions.zipSha256,
      zipSize: versions.zipSize,
      files: versions.files,
      servers: serversOfVersion,
      source: sourceOfVersion,
      provenance: provenanceOfVersion,
      review: reviewOfVersion,
      publishedAt: versions.startedAt,
    })
    .from(skills)
    .innerJoin(versions, wanted)
    .where(eq(skills.id, skillId))
    .orderBy(byId(version ?? ""))
    .limit(1);
  return found ?? null;
}

/** What a version declares and the analysis of its scripts, with the skill it belongs to. */
export interface DeclaredVersion {
  scope: string;
  versionId: string;
  label: string | null;
  manifest: Manifest;
  frontmatter: JsonObject;
  files: PackageFile[];
  scripts: ScriptVerdict[] | null;
}

/** Returns what a version of a skill declares, by the version's id or label. */
export async function readDeclaredVersion(
  db: Database,
  skillId: string,
  version: string,
): Promise<DeclaredVersion | null> {
  const [found] = await db
    .select({
      scope: skills.scope,
      versionId: versions.id,
      label: versions.label,
      manifest: versions.manifest,
      frontmatter: versions.frontmatter,
      files: versions.files,
      scripts: scriptsOfVersion,
    })
    .from(skills)
    .innerJoin(versions, isVersion(version))
    .where(eq(skills.id, skillId))
    .orderBy(byId(version))
    .limit(1);
  return found ?? null;
}

/** SQL, next to `skills`: a version of the skill has this id or label. */
function isVersion(version: string) {
  return and(eq(versions.skillId, skills.id), or(eq(versions.id, version), eq(versions.label, version)));
}

/** Prefers the id, because a label can look like one. */
function byId(version: string) {
  return sql`${versions.id} = ${version} DESC`;
}

/** Returns the versions of a skill, newest first, after the cursor `(createdAt, id)`. */
export function listVersions(
  db: Database,
  skillId: string,
  limit: number,
  after: { createdAt: number; id: string } | null,
): Promise<VersionSummary[]> {
  const older =
    after === null ? undefined : sql`(${versions.createdAt}, ${versions.id}) < (${after.createdAt}, ${after.id})`;
  return db
    .select({
      id: versions.id,
      number: numberOfVersion,
      label: versions.label,
      zipSha256: versions.zipSha256,
      zipSize: versions.zipSize,
      uploadSha256: versions.uploadSha256,
      warnings: versions.warnings,
      createdBy: versions.createdBy,
      createdAt: versions.createdAt,
      yankedAt: versions.yankedAt,
      source: sourceOfVersion,
      provenance: provenanceOfVersion,
      review: reviewOfVersion,
      blockedFor,
    })
    .from(versions)
    .where(and(eq(versions.skillId, skillId), older))
    .orderBy(desc(versions.createdAt), desc(versions.id))
    .limit(limit);
}

/** Returns SHA-256 of packages by version id. Deleted versions are absent. */
export async function readDigests(db: Database, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await db
    .select({ id: versions.id, zipSha256: versions.zipSha256 })
    .from(versions)
    .where(sql`${versions.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`);
  return new Map(rows.map(({ id, zipSha256 }) => [id, zipSha256]));
}

/** Returns the yanked ones among these versions. */
export async function yankedAmong(db: Database, ids: readonly string[]): Promise<Set<string>> {
  return new Set((await yankedRows(db, ids)).map((row) => row.id));
}

/** `yankedAmong` as a statement. */
export function yankedRows(db: Database, ids: readonly string[]) {
  return db
    .select({ id: versions.id })
    .from(versions)
    .where(
      and(sql`${versions.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`, isNotNull(versions.yankedAt)),
    );
}

/** Returns the versions that have a row. */
export async function existingVersions(db: Database, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .select({ id: versions.id })
    .from(versions)
    .where(sql`${versions.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`);
  return new Set(rows.map((row) => row.id));
}

/** A version as the MCP skills extension serves it. */
export interface ServedVersion {
  skillId: string;
  /** SHA-256 of the package. */
  zipSha256: string;
  frontmatter: JsonObject;
  files: PackageFile[];
  /** Warnings of the package at publish time. */
  warnings: Issue[];
}

/** Returns frontmatter and files of versions by version id. Deleted versions are absent. */
export async function readServedVersions(
  db: Database,
  versionIds: readonly string[],
): Promise<Map<string, ServedVersion>> {
  const rows = await db
    .select({
      id: versions.id,
      skillId: versions.skillId,
      zipSha256: versions.zipSha256,
      frontmatter: versions.frontmatter,
      files: versions.files,
      warnings: versions.warnings,
    })
    .from(versions)
    .where(sql`${versions.id} IN (SELECT value FROM json_each(${JSON.stringify(versionIds)}))`);
  return new Map(rows.map(({ id, ...version }) => [id, version]));
}

/** SQL, next to `versions`: the analysis of its scripts; `null` if none. */
export const scriptsOfVersion = sql<ScriptVerdict[] | null>`(SELECT scripts FROM ${versionCode}
  WHERE version_id = ${versions.id})`
  .mapWith((text: string) => z.array(scriptVerdictSchema).parse(JSON.parse(text)))
  .as("version_scripts");

/** Returns where a script of a version runs; `null` if it was not analysed. */
export async function readVerdict(db: Database, versionId: string, path: string): Promise<ScriptVerdict | null> {
  const [row] = await db
    .select({ scripts: scriptsOfVersion })
    .from(versions)
    .where(eq(versions.id, versionId))
    .limit(1);
  return row?.scripts?.find((verdict) => verdict.path === path) ?? null;
}

/** SQL, next to `versions`: the provider's tool descriptions; `null` if not asked yet. */
export const describedOfVersion = sql<Described | null>`(SELECT described FROM ${versionCode}
  WHERE version_id = ${versions.id})`
  .mapWith((text: string) => describedSchema.parse(JSON.parse(text)))
  .as("version_described");

/** Statements for the batch of a publish; empty if there are no scripts. */
export function keepVerdicts(db: Database, { id, scripts }: { id: string; scripts: ScriptVerdict[] | null }) {
  return scripts === null || scripts.length === 0 ? [] : [db.insert(versionCode).values({ versionId: id, scripts })];
}

/** Stores the provider's tool descriptions. The first result stays; a deleted version stores none. */
export async function keepDescribed(db: Database, versionId: string, described: Described): Promise<void> {
  const text = JSON.stringify(described);
  await db.run(sql`INSERT INTO ${versionCode} (version_id, described) SELECT id, ${text} FROM ${versions} WHERE id = ${versionId}
    ON CONFLICT (version_id) DO UPDATE SET described = coalesce(described, excluded.described)`);
}
