// Reads the versions of a published skill for clients of other registries, newest first and without yanked ones.

import { and, desc, eq, isNull, lt, or, sql } from "drizzle-orm";
import type { Issue } from "../../../domain/errors";
import type { JsonObject } from "../../../domain/json";
import type { PackageFile } from "../../../domain/package/skill";
import type { Database } from "../database";
import { versionNumbers, versions } from "../schema/registry";
import { serversOfVersion } from "../versions";
import { blockedFor } from "./version-blocks";

/** A version of a published skill. */
export interface PublishedVersion {
  versionId: string;
  number: number;
  label: string | null;
  createdAt: number;
  warnings: Issue[];
  servers: JsonObject;
  /** The reason for which an admin blocked it; `null`: not blocked. */
  blockedFor: string | null;
}

const columns = {
  versionId: versions.id,
  number: versionNumbers.number,
  label: versions.label,
  createdAt: versions.createdAt,
  warnings: versions.warnings,
  servers: serversOfVersion,
  blockedFor,
};

/** Returns a page of versions before a number, or the versions with this label or number. */
export function readPublishedVersions(
  db: Database,
  skillId: string,
  which: { before: number | null; limit: number } | { label: string; number: number | null },
): Promise<PublishedVersion[]> {
  const wanted =
    "limit" in which
      ? which.before === null
        ? undefined
        : lt(versionNumbers.number, which.before)
      : or(eq(versions.label, which.label), eq(versionNumbers.number, which.number ?? 0));
  return db
    .select(columns)
    .from(versionNumbers)
    .innerJoin(versions, eq(versions.id, versionNumbers.versionId))
    .where(and(eq(versionNumbers.skillId, skillId), isNull(versions.yankedAt), wanted))
    .orderBy(desc(versionNumbers.number))
    .limit("limit" in which ? which.limit : 2);
}

/** Returns a version by id. */
export async function readPublishedVersion(db: Database, versionId: string): Promise<PublishedVersion | null> {
  const [found] = await db
    .select(columns)
    .from(versions)
    .innerJoin(versionNumbers, eq(versionNumbers.versionId, versions.id))
    .where(eq(versions.id, versionId));
  return found ?? null;
}

/** Returns the files of the newest versions, to find the version that a set of files belongs to. */
export function readNewestFiles(
  db: Database,
  skillId: string,
  limit: number,
): Promise<{ number: number; label: string | null; files: PackageFile[] }[]> {
  return db
    .select({ number: versionNumbers.number, label: versions.label, files: versions.files })
    .from(versionNumbers)
    .innerJoin(versions, eq(versions.id, versionNumbers.versionId))
    .where(and(eq(versionNumbers.skillId, skillId), isNull(versions.yankedAt)))
    .orderBy(desc(versionNumbers.number))
    .limit(limit);
}

/** Returns the number that the next version of this skill gets; 1 if the skill does not exist. */
export async function readNextNumber(db: Database, scope: string, folded: string): Promise<number> {
  const rows = await db.all<{ next: number }>(sql`SELECT coalesce(max(number), 0) + 1 AS next FROM ${versionNumbers}
    WHERE skill_id = (SELECT id FROM skills WHERE scope = ${scope} AND folded = ${folded})`);
  return rows[0]?.next ?? 1;
}
