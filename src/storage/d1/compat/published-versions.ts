// The versions of a skill on a shelf, newest first, as clients of other registries ask for them. Yanked ones are not there.

import { and, desc, eq, isNull, lt, or, sql } from "drizzle-orm";
import type { Issue } from "../../../domain/errors";
import type { JsonObject } from "../../../domain/json";
import type { PackageFile } from "../../../domain/package/skill";
import type { Database } from "../database";
import { versionNumbers, versions } from "../schema/registry";
import { serversOfVersion } from "../versions";
import { blockedFor } from "./version-blocks";

/** A version on a shelf. */
export interface PublishedVersion {
  versionId: string;
  number: number;
  label: string | null;
  createdAt: number;
  warnings: Issue[];
  servers: JsonObject;
  /** Why an admin has blocked it; `null`: none has. */
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

/** A page of the versions of a skill, before a number; or those that have this label or this number. */
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

/** A version by its id. */
export async function readPublishedVersion(db: Database, versionId: string): Promise<PublishedVersion | null> {
  const [found] = await db
    .select(columns)
    .from(versions)
    .innerJoin(versionNumbers, eq(versionNumbers.versionId, versions.id))
    .where(eq(versions.id, versionId));
  return found ?? null;
}

/** What the newest versions of a skill contain, for who has files and asks which version they are. */
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

/** The number that the next version of a skill of this name has; 1 where there is none. */
export async function readNextNumber(db: Database, scope: string, folded: string): Promise<number> {
  const rows = await db.all<{ next: number }>(sql`SELECT coalesce(max(number), 0) + 1 AS next FROM ${versionNumbers}
    WHERE skill_id = (SELECT id FROM skills WHERE scope = ${scope} AND folded = ${folded})`);
  return rows[0]?.next ?? 1;
}
