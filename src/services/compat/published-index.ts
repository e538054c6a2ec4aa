// What a door shows, and to whom: the skills of its scopes, each name once, within the allow-list, and none that its clients cannot take.

import { firstOfEach } from "../../domain/catalog/precedence";
import { COMPAT_LIMITS } from "../../domain/compat/limits";
import { exclusionsForIndex } from "../../domain/compat/well-known";
import { GatewayError, type Issue } from "../../domain/errors";
import { literalCredentials } from "../../domain/package/credentials";
import { findArchive } from "../../storage/d1/compat/archives";
import {
  type PublishedQuery,
  type PublishedSkillRow,
  readPublishedSkills,
} from "../../storage/d1/compat/published-index";
import { versionArchives } from "../../storage/d1/schema/compat";
import { searchSkills } from "../../storage/d1/search";
import { readVersionPackage } from "../../storage/d1/versions";
import type { Context } from "../context";
import { allowedOf } from "../registry/by-name";
import { type ArchiveForm, withArchives } from "./archives";

/** Who looks, and at what. What may be read is decided before. */
export interface Viewer extends PublishedQuery, Pick<Context, "db" | "settings" | "packages" | "timings"> {
  /** Whether this one answers for a scope, and so gets files that are withheld from others. */
  owns(scope: string): boolean;
}

/** A skill on a shelf that has its archive. */
export type IndexedSkill = PublishedSkillRow & { sha256: string };

/** The refusal of everything that a door does not show: as of a path that no route has. */
export function notInIndex(): GatewayError {
  return new GatewayError("not_found", "NOT_FOUND", "There is nothing at this path. /openapi.json lists every route.");
}

/** The skills that an index shows, by name, and whether there are more than it has room for; with a name that one alone. */
export async function readIndex(viewer: Viewer, name?: string): Promise<{ skills: IndexedSkill[]; isCut: boolean }> {
  const query = { ...(name === undefined ? {} : { name }), limit: COMPAT_LIMITS.indexedSkills };
  const { rows, isCut } = await readOfferedPage(viewer, query);
  return { skills: await withFlatArchives(viewer, rows), isCut };
}

/** What a search finds among the skills that an index would show, the best first. */
export async function searchIndex(
  viewer: Viewer,
  query: string,
  limit: number,
  leftOut?: LeftOut,
): Promise<PublishedSkillRow[]> {
  const hits = await searchSkills(viewer.db, viewer.scopes, query, COMPAT_LIMITS.found * 4, 0);
  const ids = hits.map(({ id }) => id).filter((id) => viewer.ids === null || viewer.ids.includes(id));
  const rows = await readOffered({ ...viewer, ids }, { limit: hits.length + 1 }, leftOut);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []).slice(0, Math.min(limit, COMPAT_LIMITS.found));
}

/** The version whose archive has this digest, of a skill that the viewer sees. The digest alone opens nothing. */
export async function findIndexedSkill(
  viewer: Viewer,
  name: string,
  sha256: string,
): Promise<{ versionId: string; size: number }> {
  const [shown] = await readOffered(viewer, { name, limit: viewer.scopes.length });
  if (shown === undefined) throw notInIndex();
  const found = (await findArchive(viewer.db, viewer, name, sha256)).find(({ scope }) => scope === shown.scope);
  if (found === undefined) throw notInIndex();
  return found;
}

/** A file of a skill that the viewer sees, at the version that an index shows. */
export async function findIndexedFile(viewer: Viewer, name: string, path: string) {
  const [shown] = await readOffered(viewer, { name, limit: viewer.scopes.length });
  const found = shown === undefined ? null : await readVersionPackage(viewer.db, shown.id, shown.versionId);
  const file = found?.files.find((candidate) => candidate.path === path);
  if (found === null || file === undefined) throw notInIndex();
  return { versionId: found.versionId, ...file };
}

interface ShelfPage {
  name?: string;
  limit: number;
}

/** Why the clients of a door cannot take a skill; empty: they can. */
type LeftOut = (row: PublishedSkillRow) => readonly Issue[];

const leftOutHere: LeftOut = (row) => exclusionsForIndex({ ...row, fileCount: row.paths.length });

/** What the viewer sees, each name once, without what a door's clients cannot take: of an index, unless another door asks. */
export async function readOffered(viewer: Viewer, query: ShelfPage, leftOut?: LeftOut): Promise<PublishedSkillRow[]> {
  return (await readOfferedPage(viewer, query, leftOut)).rows;
}

/** The same, with whether there is more than was asked for. */
export async function readOfferedPage(
  viewer: Viewer,
  query: ShelfPage,
  leftOut: LeftOut = leftOutHere,
): Promise<{ rows: PublishedSkillRow[]; isCut: boolean }> {
  const { settings, scopes } = viewer;
  if (!settings.SKILLS_ENABLED || scopes.length === 0) return { rows: [], isCut: false };
  const allowed =
    settings.SKILLS_ALLOWED.length === 0
      ? {}
      : { versionIds: (await allowedOf(viewer, scopes, query.name)).map(({ versionId }) => versionId) };
  const found = await readPublishedSkills(viewer.db, viewer, { ...query, ...allowed, limit: query.limit + 1 });
  // A name that is hidden by another scope's stays hidden, also where its clients could not take the other one.
  const shown = firstOfEach(found.slice(0, query.limit), scopes);
  const rows = shown.filter((row) => leftOut(row).length === 0 && isReadableByViewer(viewer, row));
  return { rows, isCut: found.length > query.limit };
}

/** Files with a credential are for whoever answers for them, at this door as at the others. */
export function isReadableByViewer(
  viewer: Viewer,
  { scope, servers }: Pick<PublishedSkillRow, "scope" | "servers">,
): boolean {
  return viewer.owns(scope) || literalCredentials(servers).length === 0;
}

/** What makes flat archives. Loaded with the first: most requests make none. */
const FLAT: ArchiveForm<PublishedSkillRow> = {
  kind: "flat",
  table: versionArchives,
  async build(_, canonical, files) {
    const { flatArchive } = await import("../../domain/package/flat");
    return flatArchive(canonical, files);
  },
};

/** The skills with the archives that clients of an index unpack. */
export async function withFlatArchives(viewer: Viewer, rows: readonly PublishedSkillRow[]): Promise<IndexedSkill[]> {
  return withArchives(viewer, FLAT, rows);
}
