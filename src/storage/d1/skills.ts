// Reading skills: by id, by name in rank order of scopes, and as lists. Level 1 and 2 only; the files of versions are in
// `versions.ts`, their bytes in `packages.ts`.

import { and, desc, eq, gt, gte, isNull, ne, sql } from "drizzle-orm";
import type { Issue } from "../../domain/errors";
import type { Manifest } from "../../domain/package/skill";
import type { Database } from "./database";
import { skills, versions } from "./schema/registry";

/** Level 1 of a skill at one of its versions. */
export interface SkillSummary {
  id: string;
  name: string;
  namespace: string;
  scope: string;
  userId: string;
  createdAt: number;
  updatedAt: number;
  /** The version the skill points at, empty while all are yanked; the one described here is `versionId`. */
  currentId: string;
  versionId: string;
  label: string | null;
  description: string;
  displayName: string | null;
  author: string | null;
  tags: string[];
  bindShells: string[] | null;
  warnings: Issue[];
  yankedAt: number | null;
}

/** A skill at one of its versions with all that its resource shows. */
export interface SkillRecord extends SkillSummary {
  manifest: Manifest;
  zipSha256: string;
  zipSize: number;
  uploadSha256: string;
  tokensDescription: number;
  tokensLine: number;
  tokensInstructions: number;
  tokensFiles: number;
  instructions: string;
}

/** What has to be known of a skill before it is touched. */
export interface SkillHead {
  id: string;
  name: string;
  scope: string;
  /** As the row has it: of a group's skill, who published it first. */
  userId: string;
  currentId: string;
}

const summary = {
  id: skills.id,
  name: skills.name,
  namespace: skills.namespace,
  scope: skills.scope,
  userId: skills.userId,
  createdAt: skills.createdAt,
  updatedAt: skills.updatedAt,
  currentId: skills.versionId,
  // Named apart from the skill's id: D1 gives the rows of a batch as objects, where two columns of one name become one.
  versionId: sql<string>`${versions.id}`.as("this_version"),
  label: versions.label,
  description: versions.description,
  displayName: versions.displayName,
  author: versions.author,
  tags: versions.tags,
  bindShells: versions.bindShells,
  warnings: versions.warnings,
  yankedAt: versions.yankedAt,
};

const record = {
  ...summary,
  manifest: versions.manifest,
  zipSha256: versions.zipSha256,
  zipSize: versions.zipSize,
  uploadSha256: versions.uploadSha256,
  tokensDescription: versions.tokensDescription,
  tokensLine: versions.tokensLine,
  tokensInstructions: versions.tokensInstructions,
  tokensFiles: versions.tokensFiles,
  instructions: versions.instructions,
};

/** Whether a skill has a version that a name may mean, told from the index alone. */
export const isListed = gte(skills.tokens, 0);

/** A list carries whole instructions; a page ends early rather than grow beyond this. */
const PAGE_BYTES = 4 * 1024 * 1024;

/** Who and where a skill is, for all owners. */
export async function readSkillHead(db: Database, id: string): Promise<SkillHead | null> {
  const [found] = await db
    .select({
      id: skills.id,
      name: skills.name,
      scope: skills.scope,
      userId: skills.userId,
      currentId: skills.versionId,
    })
    .from(skills)
    .where(eq(skills.id, id));
  return found ?? null;
}

/** The statement behind `readSkill`, for batches that end with what they made. */
export function selectSkill(db: Database, id: string) {
  return db.select(record).from(skills).innerJoin(versions, eq(versions.id, skills.versionId)).where(eq(skills.id, id));
}

/** A skill at its current version, or where all are yanked at its newest, for all owners. */
export async function readSkill(db: Database, id: string): Promise<SkillRecord | null> {
  const newest = sql`(SELECT v.id FROM ${versions} AS v WHERE v.skill_id = ${skills.id}
    ORDER BY v.created_at DESC, v.id DESC LIMIT 1)`;
  const [found] = await db
    .select(record)
    .from(skills)
    .innerJoin(versions, eq(versions.id, sql`coalesce(nullif(${skills.versionId}, ''), ${newest})`))
    .where(eq(skills.id, id));
  return found ?? null;
}

/** The newest version of a skill that is not yanked, beside this one. */
export async function readSuccessor(db: Database, skillId: string, leaving: string): Promise<SkillRecord | null> {
  const [found] = await db
    .select(record)
    .from(versions)
    .innerJoin(skills, eq(skills.id, versions.skillId))
    .where(and(eq(versions.skillId, skillId), ne(versions.id, leaving), isNull(versions.yankedAt)))
    .orderBy(desc(versions.createdAt), desc(versions.id))
    .limit(1);
  return found ?? null;
}

/** A version with its skill, by the version's id. */
export async function readSkillAt(db: Database, versionId: string): Promise<SkillRecord | null> {
  const [found] = await db
    .select(record)
    .from(versions)
    .innerJoin(skills, eq(skills.id, versions.skillId))
    .where(eq(versions.id, versionId));
  return found ?? null;
}

/**
 * The skills of one scope by name, after a name or from a position, with the instructions of all of them. `next` is the name
 * to go on after, or `null` on the last page.
 */
export async function listSkills(
  db: Database,
  scope: string,
  page: { after: string | null; skip: number; limit: number },
): Promise<{ records: SkillRecord[]; next: string | null }> {
  const { instructions: _, ...level1 } = record;
  const rows = await db
    .select({ ...level1, bytes: sql<number>`octet_length(${versions.instructions})` })
    .from(skills)
    .innerJoin(versions, eq(versions.id, skills.versionId))
    .where(and(eq(skills.scope, scope), page.after === null ? undefined : gt(skills.name, page.after)))
    .orderBy(skills.name)
    .limit(page.limit + 1)
    .offset(page.skip);
  let bytes = 0;
  const over = rows.findIndex((row, index) => {
    bytes += row.bytes;
    return index === page.limit || (index > 0 && bytes > PAGE_BYTES);
  });
  const kept = over < 0 ? rows : rows.slice(0, over);
  const texts = await db
    .select({ id: versions.id, instructions: versions.instructions })
    .from(versions)
    .where(sql`${versions.id} IN (SELECT value FROM json_each(${JSON.stringify(kept.map((row) => row.versionId))}))`);
  const byId = new Map(texts.map((text) => [text.id, text.instructions]));
  const records = kept.flatMap(({ bytes: _bytes, ...row }) => {
    const instructions = byId.get(row.versionId);
    // Deleted between the two reads.
    return instructions === undefined ? [] : [{ ...row, instructions }];
  });
  return { records, next: over < 0 ? null : (kept.at(-1)?.name ?? null) };
}

export async function countSkillsOf(db: Database, scope: string): Promise<number> {
  const [row] = await db
    .select({ total: sql<number>`count(*)` })
    .from(skills)
    .where(and(eq(skills.scope, scope), isListed));
  return row?.total ?? 0;
}

/** The first skills by name of each scope, after a name; every scope is one walk along its index. */
export async function firstOfScopes(
  db: Database,
  scopes: readonly string[],
  after: string | null,
  limit: number,
): Promise<SkillSummary[]> {
  const [first, ...rest] = scopes.map((scope) =>
    db
      .select(summary)
      .from(skills)
      .innerJoin(versions, eq(versions.id, skills.versionId))
      .where(and(eq(skills.scope, scope), after === null ? undefined : gt(skills.name, after)))
      .orderBy(skills.name)
      .limit(limit),
  );
  if (first === undefined) return [];
  return (await db.batch([first, ...rest])).flat();
}

/** The name at a position among all names of the scopes, each counted once; `null` when there are fewer. */
export async function nameAt(db: Database, scopes: readonly string[], position: number): Promise<string | null> {
  const [row] = await db
    .selectDistinct({ name: skills.name })
    .from(skills)
    .where(and(sql`${skills.scope} IN (SELECT value FROM json_each(${JSON.stringify(scopes)}))`, isListed))
    .orderBy(skills.name)
    .limit(1)
    .offset(position);
  return row?.name ?? null;
}

/** The named skills of the scopes at their current versions, or with all their versions where a range may want an older one. */
export function findNamed(
  db: Database,
  scopes: readonly string[],
  names: readonly string[],
  which: "current" | "all",
): Promise<SkillSummary[]> {
  return db
    .select(summary)
    .from(skills)
    .innerJoin(versions, which === "all" ? eq(versions.skillId, skills.id) : eq(versions.id, skills.versionId))
    .where(
      and(
        sql`${skills.scope} IN (SELECT value FROM json_each(${JSON.stringify(scopes)}))`,
        sql`${skills.name} IN (SELECT value FROM json_each(${JSON.stringify(names)}))`,
        isNull(versions.yankedAt),
      ),
    );
}
