// Reads what the catalog pages show: open skills only. Everything else is treated as if it did not exist.

import { dayOf } from "../../domain/access/quota";
import { canUseBareNames, readNeeds } from "../../domain/catalog/dependency-list";
import { NO_RATINGS, type RatingSummary, ratingSummary } from "../../domain/catalog/rating";
import { type PermittedVersion, permissionsOf, type SkillPermissions } from "../../domain/code/permissions";
import { COMPAT_LIMITS } from "../../domain/compat/limits";
import { exclusionsForIndex } from "../../domain/compat/well-known";
import type { PublishedSkillRow } from "../../storage/d1/compat/published-index";
import { type PublishedVersion, readPublishedVersions } from "../../storage/d1/compat/published-versions";
import { type RatingRow, readRatingSums, readReviews } from "../../storage/d1/registry/ratings";
import { searchOpenSkills } from "../../storage/d1/search";
import { readLoadsOf } from "../../storage/d1/skill-use";
import { readSkillAt, type SkillRecord } from "../../storage/d1/skills";
import { type DeclaredVersion, readDeclaredVersion } from "../../storage/d1/versions";
import { isReadableByViewer, readOffered, type Viewer, withFlatArchives } from "./published-index";

const DAY_MS = 24 * 60 * 60_000;
const MONTH_DAYS = 30;

/** An open skill in the list of the catalog. */
export interface OpenEntry extends PublishedSkillRow {
  rating: RatingSummary;
}

/** Loads of skills in the last month, by id. */
export type MonthlyLoads = ReadonlyMap<string, number>;

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
  /** The newest visible ratings with a comment. */
  reviews: RatingRow[];
  /** SHA-256 of the archive that clients of an index download; `null` if such clients cannot use the skill. */
  archive: string | null;
}

/** Returns the open skills by name. */
export async function readCatalog(viewer: Viewer): Promise<OpenEntry[]> {
  const rows = await readOffered(viewer, { limit: COMPAT_LIMITS.openSkills }, ({ isBlocked }) =>
    isBlocked ? [{ code: "VERSION_BLOCKED", message: "An admin blocked the current version." }] : [],
  );
  const ids = rows.map(({ id }) => id);
  const sums = await readRatingSums(viewer.db, ids);
  return rows.map((row) => ({ ...row, rating: ratingSummary(sums.get(row.id) ?? NO_RATINGS) }));
}

/** Returns how often each skill was loaded in the last 30 days, without numbers so low that they could tell who uses a skill. */
export async function readMonthlyLoads(
  viewer: Pick<Viewer, "db">,
  skills: readonly { id: string }[],
  now: number,
): Promise<MonthlyLoads> {
  const ids = skills.map(({ id }) => id);
  const loads = await readLoadsOf(viewer.db, ids, dayOf(now) - (MONTH_DAYS - 1) * DAY_MS);
  return new Map([...loads].filter(([, count]) => count >= COMPAT_LIMITS.catalogLeastLoads));
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
  const [record, declared, versions, reviews, archived] = await Promise.all([
    readSkillAt(viewer.db, entry.versionId),
    readDeclaredVersion(viewer.db, entry.id, entry.versionId),
    readPublishedVersions(viewer.db, entry.id, { before: null, limit: COMPAT_LIMITS.catalogVersions }),
    readReviews(viewer.db, entry.id, COMPAT_LIMITS.catalogReviews),
    isIndexed ? withFlatArchives(viewer, [entry]) : [],
  ]);
  if (record === null || declared === null) return null;
  return {
    ...{ entry, record, declared, reviews },
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
