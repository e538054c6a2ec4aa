// Reads the published index for a viewer: the skills of its scopes, each name once, within the allow-list, without those its clients cannot
// use.

import { firstOfEach } from "../../domain/catalog/precedence";
import { COMPAT_LIMITS } from "../../domain/compat/limits";
import { exclusionsForIndex } from "../../domain/compat/well-known";
import { GatewayError, type Issue } from "../../domain/errors";
import { literalCredentials } from "../../domain/package/credentials";
import { findArchive, type VersionArchiveTable } from "../../storage/d1/compat/archives";
import {
  type PublishedQuery,
  type PublishedSkillRow,
  readPublishedSkills,
} from "../../storage/d1/compat/published-index";
import { versionArchives } from "../../storage/d1/schema/compat";
import { searchOpenSkills, searchSkills } from "../../storage/d1/search";
import { readVersionPackage } from "../../storage/d1/versions";
import type { Context } from "../context";
import { attestationOf } from "../registry/attestations";
import { allowedOf } from "../registry/by-name";
import { type ArchiveForm, withArchives } from "./archives";

/** The viewer and its scopes. Access is checked before. */
export interface Viewer extends PublishedQuery, Pick<Context, "db" | "settings" | "packages" | "timings"> {
  /** Whether the viewer owns a scope, and so can read restricted files. */
  owns(scope: string): boolean;
}

/** A published skill that has an archive. */
export type IndexedSkill = PublishedSkillRow & { sha256: string };

/** The error for everything an index does not show; the same as for an unknown path. */
export function notInIndex(): GatewayError {
  return new GatewayError("not_found", "NOT_FOUND", "Path not found. `/openapi.json` lists all paths.");
}

/** Returns the skills of an index by name, and whether the list was cut; with `name`, only that skill. */
export async function readIndex(viewer: Viewer, name?: string): Promise<{ skills: IndexedSkill[]; isCut: boolean }> {
  const query = { ...(name === undefined ? {} : { name }), limit: COMPAT_LIMITS.indexedSkills };
  const { rows, isCut } = await readOfferedPage(viewer, query);
  return { skills: await withFlatArchives(viewer, rows), isCut };
}

/** Returns search results among the skills of an index, best first. */
export async function searchIndex(
  viewer: Viewer,
  query: string,
  limit: number,
  leftOut?: LeftOut,
): Promise<PublishedSkillRow[]> {
  const most = COMPAT_LIMITS.found * 4;
  // Without a key, skills that are not open must not change what is found.
  const hits = viewer.openOnly
    ? await searchOpenSkills(viewer.db, query.slice(0, COMPAT_LIMITS.catalogQueryChars), most)
    : (await searchSkills(viewer.db, viewer.scopes, query, most, 0)).map(({ id }) => id);
  const ids = hits.filter((id) => viewer.ids === null || viewer.ids.includes(id));
  const rows = await readOffered({ ...viewer, ids }, { limit: hits.length + 1 }, leftOut);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []).slice(0, Math.min(limit, COMPAT_LIMITS.found));
}

/** Returns the version whose archive has this digest, of a visible skill. The digest alone grants no access. */
export async function findIndexedSkill(
  viewer: Viewer,
  name: string,
  sha256: string,
  table: VersionArchiveTable = versionArchives,
): Promise<{ versionId: string; size: number }> {
  const [shown] = await readOffered(viewer, { name, limit: viewer.scopes.length });
  if (shown === undefined) throw notInIndex();
  const found = (await findArchive(viewer.db, viewer, name, sha256, table)).find(({ scope }) => scope === shown.scope);
  if (found === undefined) throw notInIndex();
  return found;
}

/** Returns the signed statement about the version whose archive has this digest, of a visible skill. */
export async function findIndexedAttestation(
  viewer: Viewer,
  { name, sha256, table }: { name: string; sha256: string; table: VersionArchiveTable },
  now: number,
) {
  const { versionId } = await findIndexedSkill(viewer, name, sha256, table);
  const [shown] = await readOffered(viewer, { name, limit: viewer.scopes.length });
  const found = shown === undefined ? null : await readVersionPackage(viewer.db, shown.id, versionId);
  if (shown === undefined || found === null) throw notInIndex();
  return attestationOf(viewer, shown.id, found, now);
}

/** Returns a file of a visible skill, at the version in the index. */
export async function findIndexedFile(viewer: Viewer, name: string, path: string) {
  const [shown] = await readOffered(viewer, { name, limit: viewer.scopes.length });
  const found = shown === undefined ? null : await readVersionPackage(viewer.db, shown.id, shown.versionId);
  const file = found?.files.find((candidate) => candidate.path === path);
  if (found === null || file === undefined) throw notInIndex();
  return { versionId: found.versionId, ...file };
}

interface IndexPage {
  name?: string;
  limit: number;
}

/** Returns why clients cannot use a skill; empty: they can. */
type LeftOut = (row: PublishedSkillRow) => readonly Issue[];

const leftOutHere: LeftOut = (row) => exclusionsForIndex({ ...row, fileCount: row.paths.length });

/** Returns the visible skills, each name once, without those its clients cannot use (by default the clients of an index). */
export async function readOffered(viewer: Viewer, query: IndexPage, leftOut?: LeftOut): Promise<PublishedSkillRow[]> {
  return (await readOfferedPage(viewer, query, leftOut)).rows;
}

/** Like `readOffered`, and returns whether there are more. */
export async function readOfferedPage(
  viewer: Viewer,
  query: IndexPage,
  leftOut: LeftOut = leftOutHere,
): Promise<{ rows: PublishedSkillRow[]; isCut: boolean }> {
  const { settings, scopes } = viewer;
  if (!settings.SKILLS_ENABLED || scopes.length === 0) return { rows: [], isCut: false };
  const allowed =
    settings.SKILLS_ALLOWED.length === 0
      ? {}
      : { versionIds: (await allowedOf(viewer, scopes, query.name)).map(({ versionId }) => versionId) };
  const found = await readPublishedSkills(viewer.db, viewer, { ...query, ...allowed, limit: query.limit + 1 });
  // A name hidden by another scope stays hidden, even if clients cannot use the skill that hides it.
  const shown = firstOfEach(found.slice(0, query.limit), scopes);
  const rows = shown.filter((row) => leftOut(row).length === 0 && isReadableByViewer(viewer, row));
  return { rows, isCut: found.length > query.limit };
}

/** Whether the viewer can read a skill's files. Files with a credential are only for owners of the scope. */
export function isReadableByViewer(
  viewer: Viewer,
  { scope, servers }: Pick<PublishedSkillRow, "scope" | "servers">,
): boolean {
  return viewer.owns(scope) || literalCredentials(servers).length === 0;
}

/** Builds flat archives. Loaded lazily, because most requests build none. */
const FLAT: ArchiveForm<PublishedSkillRow> = {
  kind: "flat",
  table: versionArchives,
  async build(_, canonical, files) {
    const { flatArchive } = await import("../../domain/package/flat");
    return flatArchive(canonical, files);
  },
};

/** Returns the skills with the archives that clients of an index unpack. */
export async function withFlatArchives(viewer: Viewer, rows: readonly PublishedSkillRow[]): Promise<IndexedSkill[]> {
  return withArchives(viewer, FLAT, rows);
}
