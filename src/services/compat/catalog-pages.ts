// Reads what the catalog pages show: open skills only. Everything else is treated as if it did not exist.

import { canUseBareNames, readNeeds } from "../../domain/catalog/dependency-list";
import { type PermittedVersion, permissionsOf, type SkillPermissions } from "../../domain/code/permissions";
import { COMPAT_LIMITS } from "../../domain/compat/limits";
import { exclusionsForIndex } from "../../domain/compat/well-known";
import type { PublishedSkillRow } from "../../storage/d1/compat/published-index";
import { type PublishedVersion, readPublishedVersions } from "../../storage/d1/compat/published-versions";
import { searchOpenSkills } from "../../storage/d1/search";
import { readSkillAt, type SkillRecord } from "../../storage/d1/skills";
import { type DeclaredVersion, readDeclaredVersion } from "../../storage/d1/versions";
import { isReadableByViewer, readOffered, type Viewer, withFlatArchives } from "./published-index";

/** An open skill in the list of the catalog. */
export type OpenEntry = PublishedSkillRow;

/** What the page of a skill shows. */
export interface CatalogSkill {
  entry: OpenEntry;
  record: SkillRecord;
  declared: DeclaredVersion;
  permissions: SkillPermissions;
  /** Its dependencies that are on the open list, too. Others are not named. */
  dependencies: OpenEntry[];
  /** The newest versions that can be downloaded, newest first. */
  versions: PublishedVersion[];
  /** SHA-256 of the archive that clients of an index download; `null` if such clients cannot use the skill. */
  archive: string | null;
}

/** Returns the open skills by name. */
export function readCatalog(viewer: Viewer): Promise<OpenEntry[]> {
  return readOffered(viewer, { limit: COMPAT_LIMITS.openSkills }, ({ isBlocked }) =>
    isBlocked ? [{ code: "VERSION_BLOCKED", message: "An admin blocked the current version." }] : [],
  );
}

/** Returns the entries that match a search, best first, ranked like `find_skill`. */
export async function searchCatalog(
  viewer: Viewer,
  entries: readonly OpenEntry[],
  query: string,
): Promise<OpenEntry[]> {
  const ids = await searchOpenSkills(
    viewer.db,
    query.slice(0, COMPAT_LIMITS.catalogQueryChars),
    COMPAT_LIMITS.catalogFound,
  );
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Returns what the page of an entry shows; `null` if it was deleted meanwhile. */
export async function readCatalogSkill(
  viewer: Viewer,
  entries: readonly OpenEntry[],
  entry: OpenEntry,
): Promise<CatalogSkill | null> {
  const isIndexed = exclusionsForIndex({ ...entry, fileCount: entry.paths.length }).length === 0;
  const [record, declared, versions, archived] = await Promise.all([
    readSkillAt(viewer.db, entry.versionId),
    readDeclaredVersion(viewer.db, entry.id, entry.versionId),
    readPublishedVersions(viewer.db, entry.id, { before: null, limit: COMPAT_LIMITS.catalogVersions }),
    isIndexed ? withFlatArchives(viewer, [entry]) : [],
  ]);
  if (record === null || declared === null) return null;
  return {
    ...{ entry, record, declared },
    permissions: permissionsOf(permitted(declared), viewer.settings.CODE_SCOPES),
    dependencies: openDependencies(entries, entry.name, declared.manifest.dependencies),
    versions: versions.filter(
      ({ blockedFor, servers }) => blockedFor === null && isReadableByViewer(viewer, { ...entry, servers }),
    ),
    archive: archived[0]?.sha256 ?? null,
  };
}

function permitted({ scope, manifest, frontmatter, files, scripts }: DeclaredVersion): PermittedVersion {
  return { scope, manifest, frontmatter, files, scripts };
}

function openDependencies(entries: readonly OpenEntry[], name: string, texts: readonly string[]): OpenEntry[] {
  const needs = readNeeds(name, texts);
  const areBareSkills = canUseBareNames(needs);
  const names = needs.filter(({ kind }) => kind === "marked" || (kind === "bare" && areBareSkills));
  const wanted = new Set(names.map((need) => need.name));
  return entries.filter((entry) => wanted.has(entry.name));
}
