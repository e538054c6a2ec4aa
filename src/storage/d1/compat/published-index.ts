// Reads the published index: skills at their current versions, with the columns that clients of other registries need.

import { and, asc, eq, type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { JsonObject } from "../../../domain/json";
import type { Database } from "../database";
import { openSkills, versionArchives } from "../schema/compat";
import { skills, versions } from "../schema/registry";
import { isListed } from "../skills";
import { numberOfVersion, serversOfVersion } from "../versions";
import { isBlocked } from "./version-blocks";

/** Selects the skills that an index shows. */
export interface PublishedQuery {
  scopes: readonly string[];
  /** Only skills on the open list. */
  openOnly: boolean;
  /** Only these skill ids; `null`: all. */
  ids: readonly string[] | null;
}

/** A skill of the published index. */
export interface PublishedSkillRow {
  id: string;
  name: string;
  scope: string;
  versionId: string;
  label: string | null;
  number: number;
  displayName: string | null;
  description: string;
  tags: string[];
  author: string | null;
  createdAt: number;
  updatedAt: number;
  /** The name in SKILL.md; `null` if it has none. */
  writtenName: string | null;
  /** Whether SKILL.md could only be parsed after a repair. */
  isRepaired: boolean;
  paths: string[];
  servers: JsonObject;
  /** Whether an admin blocked the version. */
  isBlocked: boolean;
  /** Digest of the archive; `null` until a client requests it. */
  sha256: string | null;
  size: number | null;
}

const pathsSchema = z.array(z.string());

/** SQL: the index can show this skill. */
export function isPublishable({ scopes, openOnly, ids, name }: PublishedQuery & { name?: string }): SQL | undefined {
  return and(
    sql`${skills.scope} IN (SELECT value FROM json_each(${JSON.stringify(scopes)}))`,
    name === undefined ? undefined : eq(skills.name, name),
    ids === null ? undefined : sql`${skills.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
    openOnly ? sql`${skills.id} IN (SELECT ${openSkills.skillId} FROM ${openSkills})` : undefined,
  );
}

/**
 * Returns published skills by name, at their current versions or at the given ones. With `name`, returns the skill of that name in each
 * scope.
 */
export function readPublishedSkills(
  db: Database,
  shelf: PublishedQuery,
  { name, versionIds, limit }: { name?: string; versionIds?: readonly string[]; limit: number },
): Promise<PublishedSkillRow[]> {
  const at =
    versionIds === undefined
      ? eq(versions.id, skills.versionId)
      : and(
          eq(versions.skillId, skills.id),
          sql`${versions.id} IN (SELECT value FROM json_each(${JSON.stringify(versionIds)}))`,
        );
  return db
    .select({
      id: skills.id,
      name: skills.name,
      scope: skills.scope,
      versionId: sql<string>`${versions.id}`.as("this_version"),
      label: versions.label,
      number: numberOfVersion,
      displayName: versions.displayName,
      description: versions.description,
      tags: versions.tags,
      author: versions.author,
      createdAt: skills.createdAt,
      updatedAt: skills.updatedAt,
      writtenName: sql<string | null>`cast(${versions.manifest} ->> '$.name' AS TEXT)`.as("written_name"),
      isRepaired: sql<boolean>`instr(${versions.warnings}, '"FRONTMATTER_REPAIRED"') > 0`
        .mapWith(Boolean)
        .as("is_repaired"),
      paths: sql`(SELECT json_group_array(value ->> 'path') FROM json_each(${versions.files}))`
        .mapWith((text: string) => pathsSchema.parse(JSON.parse(text)))
        .as("paths"),
      servers: serversOfVersion,
      isBlocked: sql<boolean>`${isBlocked}`.mapWith(Boolean).as("is_blocked"),
      sha256: versionArchives.sha256,
      size: versionArchives.size,
    })
    .from(skills)
    .innerJoin(versions, at)
    .leftJoin(versionArchives, eq(versionArchives.versionId, versions.id))
    .where(and(isPublishable(name === undefined ? shelf : { ...shelf, name }), isListed))
    .orderBy(asc(skills.name))
    .limit(limit);
}
