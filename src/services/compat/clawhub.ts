// Serves what the caller can read to ClawHub's clients, under its slugs and version names.

import * as z from "zod";
import {
  exclusionsForClawHub,
  fingerprintOf,
  isVersionName,
  numberOfVersionName,
  versionNameOf,
} from "../../domain/compat/clawhub";
import { COMPAT_LIMITS } from "../../domain/compat/limits";
import { decodeCursor, encodeCursor, pageOf } from "../../domain/cursor";
import { GatewayError } from "../../domain/errors";
import type { PackageFile } from "../../domain/package/skill";
import { type PublishedSkillRow, readPublishedSkills } from "../../storage/d1/compat/published-index";
import {
  type PublishedVersion,
  readNewestFiles,
  readPublishedVersion,
  readPublishedVersions,
} from "../../storage/d1/compat/published-versions";
import { readVersionPackage } from "../../storage/d1/versions";
import { openArchive, openPackageRange } from "../../storage/r2/packages";
import {
  isReadableByViewer,
  readOffered,
  readOfferedPage,
  searchIndex,
  type Viewer,
  withFlatArchives,
} from "./published-index";
import { versionBlocked } from "./version-blocks";

export function slugNotFound(): GatewayError {
  return new GatewayError("not_found", "SKILL_NOT_FOUND", "Skill not found");
}

/** Returns the skill of a slug for this viewer: own over group over public. */
export async function findSlug(viewer: Viewer, slug: string): Promise<PublishedSkillRow> {
  const [row] = await readOffered(viewer, { name: slug, limit: viewer.scopes.length }, exclusionsForClawHub);
  if (row === undefined) throw slugNotFound();
  return row;
}

/** Order of the list. */
export type SlugOrder = "created" | "updated";

const placeSchema = z.lazy(() => z.object({ skip: z.int().min(0) }));

/** Returns a page of the visible skills, newest first, without blocked ones. */
export async function listSlugs(
  viewer: Viewer,
  { prefix, order, limit, cursor }: { prefix: string; order: SlugOrder; limit: number; cursor: string | undefined },
): Promise<{ rows: PublishedSkillRow[]; nextCursor: string | null; isCut: boolean }> {
  const skip = decodeCursor(cursor, placeSchema)?.skip ?? 0;
  const query = { limit: COMPAT_LIMITS.indexedSkills };
  const { rows: all, isCut } = await readOfferedPage(viewer, query, exclusionsForClawHub);
  const at = (row: PublishedSkillRow) => (order === "created" ? row.createdAt : row.updatedAt);
  const rows = all.filter(({ name, isBlocked }) => !isBlocked && name.startsWith(prefix)).sort((a, b) => at(b) - at(a));
  const next = skip + limit;
  return { rows: rows.slice(skip, next), nextCursor: rows.length > next ? encodeCursor({ skip: next }) : null, isCut };
}

/** Returns search results, best first, without blocked ones; or the skill with exactly this slug. */
export async function searchSlugs(
  viewer: Viewer,
  query: string,
  limit: number,
  exact: boolean,
): Promise<PublishedSkillRow[]> {
  const found = exact
    ? await readOffered(viewer, { name: query.trim(), limit: viewer.scopes.length }, exclusionsForClawHub)
    : await searchIndex(viewer, query, limit, exclusionsForClawHub);
  return found.filter(({ isBlocked }) => !isBlocked);
}

const versionCursor = z.lazy(() => z.object({ before: z.int().min(1) }));

/** Returns a page of a skill's versions, newest first. */
export async function listNamedVersions(
  viewer: Viewer,
  row: PublishedSkillRow,
  limit: number,
  cursor: string | undefined,
): Promise<{ versions: PublishedVersion[]; nextCursor: string | null }> {
  const before = decodeCursor(cursor, versionCursor)?.before ?? null;
  const found = await readPublishedVersions(viewer.db, row.id, { before, limit: limit + 1 });
  const { page, nextCursor } = pageOf(found, limit, ({ number }) => ({ before: number }));
  return { versions: page.filter(({ servers }) => isReadableByViewer(viewer, { ...row, servers })), nextCursor };
}

/** Returns the version with this name; without a name, the version at which the viewer sees the skill. */
export async function findNamedVersion(
  viewer: Viewer,
  row: PublishedSkillRow,
  name: string | undefined,
): Promise<PublishedVersion> {
  const found =
    name === undefined
      ? await readPublishedVersion(viewer.db, row.versionId)
      : await versionNamed(viewer, row.id, name);
  if (found === null || !isReadableByViewer(viewer, { ...row, servers: found.servers }))
    throw new GatewayError("not_found", "VERSION_NOT_FOUND", "Version not found");
  return found;
}

async function versionNamed(viewer: Viewer, skillId: string, name: string): Promise<PublishedVersion | null> {
  if (!isVersionName(name)) return null;
  const rows = await readPublishedVersions(viewer.db, skillId, { label: name, number: numberOfVersionName(name) });
  return rows.find((row) => versionNameOf(row) === name) ?? null;
}

/** Returns the files of a version. */
export async function filesOfVersion(
  viewer: Viewer,
  row: PublishedSkillRow,
  versionId: string,
): Promise<PackageFile[]> {
  const found = await readVersionPackage(viewer.db, row.id, versionId);
  if (found === null) throw slugNotFound();
  return found.files;
}

/** Opens the flat archive of a version, for viewers who can download it. */
export async function openVersionArchive(
  viewer: Viewer,
  row: PublishedSkillRow,
  version: PublishedVersion,
): Promise<R2ObjectBody> {
  if (version.blockedFor !== null) throw versionBlocked(version.blockedFor);
  const { versionId } = version;
  const at = await readPublishedSkills(viewer.db, viewer, {
    ...{ name: row.name, versionIds: [versionId], limit: viewer.scopes.length },
  });
  const shelved = await withFlatArchives(
    viewer,
    at.filter(({ id }) => id === row.id),
  );
  const stored = shelved.length === 0 ? null : await openArchive(viewer.packages, viewer.timings, versionId);
  if (stored === null) throw slugNotFound();
  return stored;
}

/** Opens a file of a version. */
export async function openVersionFile(viewer: Viewer, row: PublishedSkillRow, version: PublishedVersion, path: string) {
  if (version.blockedFor !== null) throw versionBlocked(version.blockedFor);
  const { versionId } = version;
  const file = (await filesOfVersion(viewer, row, versionId)).find((candidate) => candidate.path === path);
  if (file === undefined) throw new GatewayError("not_found", "FILE_NOT_FOUND", "File not found");
  const body = await openPackageRange(viewer.packages, viewer.timings, versionId, file.offset, file.size);
  if (body === null) throw slugNotFound();
  return { body, size: file.size };
}

/** Returns which of the newest versions has files with this fingerprint, or `null`. */
export async function findFingerprint(
  viewer: Viewer,
  row: PublishedSkillRow,
  fingerprint: string,
): Promise<string | null> {
  for (const version of await readNewestFiles(viewer.db, row.id, COMPAT_LIMITS.fingerprinted))
    if ((await fingerprintOf(version.files)) === fingerprint) return versionNameOf(version);
  return null;
}
