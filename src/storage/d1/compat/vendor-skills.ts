// Reads skills and versions in the order and shape of the model vendors' Skills APIs.

import { and, asc, desc, eq, gt, isNull, lt, type SQL, sql } from "drizzle-orm";
import type { Database } from "../database";
import { skillTitles } from "../schema/compat";
import { skills, versionNumbers, versions } from "../schema/registry";
import { numberOfVersion } from "../versions";

/** A skill at its current version, or at its newest if all are yanked. */
export interface VendorSkill {
  id: string;
  name: string;
  scope: string;
  /** The display title set by the creator, and the one in SKILL.md. */
  title: string | null;
  displayName: string | null;
  description: string;
  createdAt: number;
  updatedAt: number;
  /** Empty if all versions are yanked. */
  currentId: string;
  versionId: string;
  number: number;
  publishedAt: number;
  /** Number of the newest version that is not yanked; `null` if all are yanked. */
  newest: number | null;
}

/** A version that is not yanked. */
export interface VendorVersion {
  id: string;
  skillId: string;
  name: string;
  number: number;
  description: string;
  createdAt: number;
}

/** SQL, next to `skills`: the display title set through a vendor's API. */
export const titleOfSkill = sql<string | null>`(SELECT title FROM ${skillTitles}
  WHERE skill_id = ${skills.id})`.as("skill_title");

const NEWEST_FIRST = sql`ORDER BY v.created_at DESC, v.id DESC LIMIT 1`;
const shown = sql`coalesce(nullif(${skills.versionId}, ''),
  (SELECT v.id FROM ${versions} AS v WHERE v.skill_id = ${skills.id} ${NEWEST_FIRST}))`;
const newest = sql<
  number | null
>`(SELECT n.number FROM ${versions} AS v CROSS JOIN ${versionNumbers} AS n ON n.version_id = v.id
  WHERE v.skill_id = ${skills.id} AND v.yanked_at IS NULL ${NEWEST_FIRST})`.as("newest_number");

function selectVendorSkills(db: Database) {
  return db
    .select({
      id: skills.id,
      name: skills.name,
      scope: skills.scope,
      title: titleOfSkill,
      displayName: versions.displayName,
      description: versions.description,
      createdAt: skills.createdAt,
      updatedAt: skills.updatedAt,
      currentId: skills.versionId,
      versionId: sql<string>`${versions.id}`.as("this_version"),
      number: numberOfVersion,
      publishedAt: sql<number>`${versions.createdAt}`.as("published_at"),
      newest,
    })
    .from(skills)
    .innerJoin(versions, eq(versions.id, shown));
}

/** Returns a skill by id, in any scope. */
export async function readVendorSkill(db: Database, id: string): Promise<VendorSkill | null> {
  const [found] = await selectVendorSkills(db).where(eq(skills.id, id));
  return found ?? null;
}

/** Returns the skills of a scope by name, after a name. */
export function listVendorSkillsByName(
  db: Database,
  scope: string,
  after: string | null,
  limit: number,
): Promise<VendorSkill[]> {
  return selectVendorSkills(db)
    .where(and(eq(skills.scope, scope), after === null ? undefined : gt(skills.name, after)))
    .orderBy(asc(skills.name))
    .limit(limit);
}

export type Order = "asc" | "desc";

/** Returns the skills of a scope by creation time, after one of them. Ids sort by time. */
export function listVendorSkillsByTime(
  db: Database,
  scope: string,
  { after, order, limit }: { after: string | null; order: Order; limit: number },
): Promise<VendorSkill[]> {
  const [beyond, sorted] = order === "asc" ? [gt, asc] : [lt, desc];
  return selectVendorSkills(db)
    .where(and(eq(skills.scope, scope), after === null ? undefined : beyond(skills.id, after)))
    .orderBy(sorted(skills.id))
    .limit(limit);
}

/** Identifies a version: by id, by number, or by creation time and the last three digits of its number. */
export type VersionKey = { id: string } | { number: number } | { createdAt: number; rest: number };

/** Returns versions that are not yanked by number, after a number, or the one identified by `key`. */
export function listVendorVersions(
  db: Database,
  skillId: string,
  { after, order, limit, key }: { after?: number | null; order: Order; limit: number; key?: VersionKey },
): Promise<VendorVersion[]> {
  const [beyond, sorted] = order === "asc" ? [gt, asc] : [lt, desc];
  return db
    .select({
      id: versions.id,
      skillId: versions.skillId,
      name: skills.name,
      number: versionNumbers.number,
      description: versions.description,
      createdAt: versions.createdAt,
    })
    .from(versionNumbers)
    .innerJoin(versions, eq(versions.id, versionNumbers.versionId))
    .innerJoin(skills, eq(skills.id, versions.skillId))
    .where(
      and(
        eq(versionNumbers.skillId, skillId),
        isNull(versions.yankedAt),
        after === null || after === undefined ? undefined : beyond(versionNumbers.number, after),
        key === undefined ? undefined : isMeant(key),
      ),
    )
    .orderBy(sorted(versionNumbers.number))
    .limit(limit);
}

/** Returns the number of a version, yanked or not; `null` if it does not belong to this skill. */
export async function readVersionNumber(db: Database, skillId: string, versionId: string): Promise<number | null> {
  const [found] = await db
    .select({ number: versionNumbers.number })
    .from(versionNumbers)
    .where(and(eq(versionNumbers.versionId, versionId), eq(versionNumbers.skillId, skillId)));
  return found?.number ?? null;
}

function isMeant(key: VersionKey): SQL | undefined {
  if ("id" in key) return eq(versions.id, key.id);
  if ("number" in key) return eq(versionNumbers.number, key.number);
  return and(eq(versions.createdAt, key.createdAt), sql`${versionNumbers.number} % 1000 = ${key.rest}`);
}
