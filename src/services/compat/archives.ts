// Builds and stores archives of versions for other clients, when first requested.

import { COMPAT_LIMITS } from "../../domain/compat/limits";
import { sha256Hex } from "../../domain/digest";
import { GatewayError } from "../../domain/errors";
import type { FlatArchive } from "../../domain/package/flat";
import type { PackageFile } from "../../domain/package/skill";
import type { VersionArchiveTable } from "../../storage/d1/compat/archives";
import { keepArchives } from "../../storage/d1/compat/archives";
import { readVersionPackage } from "../../storage/d1/versions";
import { type ArchiveKind, openArchive, putArchive, readWholePackage } from "../../storage/r2/packages";
import type { Context } from "../context";

type Shelving = Pick<Context, "db" | "packages" | "timings">;

/** How archives of a kind are built, and where their digests are stored. */
export interface ArchiveForm<R> {
  kind: ArchiveKind;
  table: VersionArchiveTable;
  build(row: R, canonical: Uint8Array, files: readonly PackageFile[]): Promise<FlatArchive>;
}

/** A version whose archive may not exist yet. */
interface Row {
  id: string;
  versionId: string;
  sha256: string | null;
}

/**
 * Returns the rows with their archives' digests. If one archive cannot be built, the whole list fails: clients would treat a missing entry
 * as removed.
 */
export async function withArchives<R extends Row>(
  viewer: Shelving,
  form: ArchiveForm<R>,
  rows: readonly R[],
): Promise<(R & { sha256: string })[]> {
  const lacking = rows.filter(({ sha256 }) => sha256 === null);
  const made = await makeArchives(viewer, form, lacking.slice(0, COMPAT_LIMITS.archivesAtOnce));
  if (lacking.length > COMPAT_LIMITS.archivesAtOnce) {
    const left = lacking.length - COMPAT_LIMITS.archivesAtOnce;
    const message = `Archives of ${left} skills are not ready. Each request creates some of them. Try again.`;
    throw new GatewayError("unavailable", "ARCHIVES_MISSING", message, { retry_after_s: 1 });
  }
  return rows.flatMap((row) => {
    const sha256 = row.sha256 ?? made.get(row.versionId);
    return sha256 === undefined ? [] : [{ ...row, sha256 }];
  });
}

async function makeArchives<R extends Row>(
  viewer: Shelving,
  { kind, table, build }: ArchiveForm<R>,
  rows: readonly R[],
): Promise<Map<string, string>> {
  if (rows.length === 0) return new Map();
  type Made = { versionId: string; sha256: string; size: number };
  const make = async (row: R): Promise<Made[]> => {
    const { id, versionId } = row;
    const [found, zip] = await Promise.all([
      readVersionPackage(viewer.db, id, versionId),
      readWholePackage(viewer.packages, viewer.timings, versionId),
    ]);
    // Deleted meanwhile.
    if (found === null || zip === null) return [];
    const archive = await build(row, zip, found.files);
    const isFirst = await putArchive(viewer.packages, viewer.timings, versionId, archive, kind);
    // Another request stored the object first. Its bytes are used, which may differ from ours.
    const bytes = isFirst ? archive.bytes : await storedArchive(viewer, versionId, kind);
    if (bytes === null) return [];
    return [{ versionId, sha256: isFirst ? archive.sha256 : await sha256Hex(bytes), size: bytes.length }];
  };
  const made: Made[] = [];
  // A few in parallel: each waits for D1 and R2 and holds its package in memory.
  for (let at = 0; at < rows.length; at += COMPAT_LIMITS.archivesBeside)
    made.push(...(await Promise.all(rows.slice(at, at + COMPAT_LIMITS.archivesBeside).map(make))).flat());
  await keepArchives(viewer.db, made, table);
  return new Map(made.map(({ versionId, sha256 }) => [versionId, sha256]));
}

async function storedArchive({ packages, timings }: Shelving, versionId: string, kind: ArchiveKind) {
  const stored = await openArchive(packages, timings, versionId, kind);
  return stored === null ? null : stored.bytes();
}
