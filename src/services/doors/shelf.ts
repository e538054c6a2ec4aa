// What a door shows, and to whom: the skills of its scopes, each name once, within the allow-list, and none that its clients cannot take.

import { firstOfEach } from "../../domain/catalog/precedence";
import { sha256Hex } from "../../domain/digest";
import { DOOR_LIMITS } from "../../domain/doors/limits";
import { leftOutOfIndex } from "../../domain/doors/well-known";
import { GatewayError } from "../../domain/errors";
import { literalCredentials } from "../../domain/package/credentials";
import { findArchive, keepArchives } from "../../storage/d1/doors/archives";
import { readShelfRows, type ShelfQuery, type ShelfRow } from "../../storage/d1/doors/shelf";
import { searchSkills } from "../../storage/d1/search";
import { readVersionPackage } from "../../storage/d1/versions";
import { openArchive, putArchive, readWholePackage } from "../../storage/r2/packages";
import type { Context } from "../context";
import { allowedOf } from "../registry/named";

/** Who looks, and at what. What may be read is decided before. */
export interface Viewer extends ShelfQuery, Pick<Context, "db" | "settings" | "packages" | "timings"> {
  /** Whether this one answers for a scope, and so gets files that are withheld from others. */
  owns(scope: string): boolean;
}

/** A skill on a shelf that has its archive. */
export type Shelved = ShelfRow & { sha256: string };

/** The refusal of everything that a door does not show: as of a path that no route has. */
export function nothingThere(): GatewayError {
  return new GatewayError("not_found", "NOT_FOUND", "There is nothing at this path. /openapi.json lists every route.");
}

/** The skills that an index shows, by name; with a name that one alone. */
export async function readShelf(viewer: Viewer, name?: string): Promise<Shelved[]> {
  const rows = await shownRows(viewer, { ...(name === undefined ? {} : { name }), limit: DOOR_LIMITS.indexedSkills });
  return withArchives(viewer, rows);
}

/** What a search finds among the skills that an index would show, the best first. */
export async function searchShelf(viewer: Viewer, query: string, limit: number): Promise<ShelfRow[]> {
  const hits = await searchSkills(viewer.db, viewer.scopes, query, DOOR_LIMITS.found * 4, 0);
  const ids = hits.map(({ id }) => id).filter((id) => viewer.ids === null || viewer.ids.includes(id));
  const rows = await shownRows({ ...viewer, ids }, { limit: hits.length + 1 });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []).slice(0, Math.min(limit, DOOR_LIMITS.found));
}

/** The version whose archive has this digest, of a skill that the viewer sees. The digest alone opens nothing. */
export async function findShelved(
  viewer: Viewer,
  name: string,
  sha256: string,
): Promise<{ versionId: string; size: number }> {
  const [shown] = await shownRows(viewer, { name, limit: viewer.scopes.length });
  if (shown === undefined) throw nothingThere();
  const found = (await findArchive(viewer.db, viewer, name, sha256)).find(({ scope }) => scope === shown.scope);
  if (found === undefined) throw nothingThere();
  return found;
}

/** A file of a skill that the viewer sees, at the version that an index shows. */
export async function findShelvedFile(viewer: Viewer, name: string, path: string) {
  const [shown] = await shownRows(viewer, { name, limit: viewer.scopes.length });
  const found = shown === undefined ? null : await readVersionPackage(viewer.db, shown.id, shown.versionId);
  const file = found?.files.find((candidate) => candidate.path === path);
  if (found === null || file === undefined) throw nothingThere();
  return { versionId: found.versionId, ...file };
}

/** What the viewer sees, each name once. */
async function shownRows(viewer: Viewer, query: { name?: string; limit: number }): Promise<ShelfRow[]> {
  const { settings, scopes } = viewer;
  if (!settings.SKILLS_ENABLED || scopes.length === 0) return [];
  const allowed =
    settings.SKILLS_ALLOWED.length === 0
      ? {}
      : { versionIds: (await allowedOf(viewer, scopes, query.name)).map(({ versionId }) => versionId) };
  const rows = await readShelfRows(viewer.db, viewer, { ...query, ...allowed });
  // A name that is hidden by another scope's stays hidden, also where its clients could not take the other one.
  return firstOfEach(rows, scopes).filter((row) => isOffered(viewer, row));
}

/** Files with a credential are for whoever answers for them, at this door as at the others. */
function isOffered(viewer: Viewer, row: ShelfRow): boolean {
  if (leftOutOfIndex({ ...row, fileCount: row.paths.length }).length > 0) return false;
  return viewer.owns(row.scope) || literalCredentials(row.servers).length === 0;
}

/**
 * Makes the archives that no door has asked for before: who uses none pays for none. An index is whole or not there: half of one would look
 * like what was removed.
 */
async function withArchives(viewer: Viewer, rows: readonly ShelfRow[]): Promise<Shelved[]> {
  const lacking = rows.filter(({ sha256 }) => sha256 === null);
  const made = await makeArchives(viewer, lacking.slice(0, DOOR_LIMITS.archivesAtOnce));
  if (lacking.length > DOOR_LIMITS.archivesAtOnce) {
    const left = lacking.length - DOOR_LIMITS.archivesAtOnce;
    const message = `The archives of ${left} skills are still to be made, some with each request. Ask again.`;
    throw new GatewayError("unavailable", "ARCHIVES_MISSING", message, { retry_after_s: 1 });
  }
  return rows.flatMap((row) => {
    const sha256 = row.sha256 ?? made.get(row.versionId);
    return sha256 === undefined ? [] : [{ ...row, sha256 }];
  });
}

async function makeArchives(viewer: Viewer, rows: readonly ShelfRow[]): Promise<Map<string, string>> {
  if (rows.length === 0) return new Map();
  // Only where one is missing, which is once a version.
  const { flatArchive } = await import("../../domain/package/flat");
  type Made = { versionId: string; sha256: string; size: number };
  const make = async ({ id, versionId }: ShelfRow): Promise<Made[]> => {
    const [found, zip] = await Promise.all([
      readVersionPackage(viewer.db, id, versionId),
      readWholePackage(viewer.packages, viewer.timings, versionId),
    ]);
    // Deleted meanwhile.
    if (found === null || zip === null) return [];
    const archive = await flatArchive(zip, found.files);
    const isFirst = await putArchive(viewer.packages, viewer.timings, versionId, archive);
    // Somebody was first, or wrote the object and never its row: those bytes count, and they may differ from ours.
    const bytes = isFirst ? archive.bytes : await storedArchive(viewer, versionId);
    if (bytes === null) return [];
    return [{ versionId, sha256: isFirst ? archive.sha256 : await sha256Hex(bytes), size: bytes.length }];
  };
  const made: Made[] = [];
  // A few beside each other: each waits for D1 and R2, and holds its package meanwhile.
  for (let at = 0; at < rows.length; at += DOOR_LIMITS.archivesBeside)
    made.push(...(await Promise.all(rows.slice(at, at + DOOR_LIMITS.archivesBeside).map(make))).flat());
  await keepArchives(viewer.db, made);
  return new Map(made.map(({ versionId, sha256 }) => [versionId, sha256]));
}

async function storedArchive({ packages, timings }: Viewer, versionId: string): Promise<Uint8Array | null> {
  const stored = await openArchive(packages, timings, versionId);
  return stored === null ? null : stored.bytes();
}
