// Reads lists of skills: pages by name or by version, and counts. Level 1 and 2, as in `skills.ts`.

import { and, eq, gt, sql } from "drizzle-orm";
import type { Database } from "./database";
import { skills, versions } from "./schema/registry";
import { isListed, type SkillRecord, type SkillSummary, skillColumns, summaryColumns } from "./skills";

/** Long columns are read only for the rows of a page, or not in lists at all. */
const { instructions: _, scripts: __, ...withoutText } = skillColumns;
/** A record with the size of its instructions instead of their text. `asPage` reads the text. */
const pageRow = { ...withoutText, bytes: sql<number>`octet_length(${versions.instructions})` };

/** Lists contain whole instructions. A page ends early before it exceeds this size. */
const PAGE_BYTES = 4 * 1024 * 1024;

/**
 * Returns the skills of one scope by name, after a name or from an offset, with their instructions. `next` is the name to continue after,
 * or `null` on the last page.
 */
export async function listSkills(
  db: Database,
  scope: string,
  page: { after: string | null; skip: number; limit: number },
): Promise<{ records: SkillRecord[]; next: string | null }> {
  const rows = await db
    .select(pageRow)
    .from(skills)
    .innerJoin(versions, eq(versions.id, skills.versionId))
    .where(and(eq(skills.scope, scope), page.after === null ? undefined : gt(skills.name, page.after)))
    .orderBy(skills.name)
    .limit(page.limit + 1)
    .offset(page.skip);
  const { records, kept } = await asPage(db, rows, page.limit);
  return { records, next: kept < rows.length ? (rows[kept - 1]?.name ?? null) : null };
}

/** Returns skills at these versions, in this order, up to one page. `next` is the index in `versionIds` to continue from. */
export async function readSkillsAt(
  db: Database,
  versionIds: readonly string[],
  limit: number,
): Promise<{ records: SkillRecord[]; next: number | null }> {
  const found = await db
    .select(pageRow)
    .from(versions)
    .innerJoin(skills, eq(skills.id, versions.skillId))
    .where(sql`${versions.id} IN (SELECT value FROM json_each(${JSON.stringify(versionIds)}))`);
  const byId = new Map(found.map((row) => [row.versionId, row]));
  const rows = versionIds.flatMap((id) => byId.get(id) ?? []);
  const { records, kept } = await asPage(db, rows, limit);
  const last = rows[kept - 1]?.versionId;
  return { records, next: kept < rows.length && last !== undefined ? versionIds.indexOf(last) + 1 : null };
}

/** Returns the first rows with their instructions, and how many rows the page takes. */
async function asPage(
  db: Database,
  rows: readonly (Omit<SkillRecord, "instructions" | "scripts"> & { bytes: number })[],
  limit: number,
): Promise<{ records: SkillRecord[]; kept: number }> {
  let sum = 0;
  const over = rows.findIndex((row, index) => {
    sum += row.bytes;
    return index === limit || (index > 0 && sum > PAGE_BYTES);
  });
  const page = over < 0 ? rows : rows.slice(0, over);
  const texts = await db
    .select({ id: versions.id, instructions: versions.instructions })
    .from(versions)
    .where(sql`${versions.id} IN (SELECT value FROM json_each(${JSON.stringify(page.map((row) => row.versionId))}))`);
  const byId = new Map(texts.map((text) => [text.id, text.instructions]));
  const records = page.flatMap(({ bytes: _, ...row }) => {
    const instructions = byId.get(row.versionId);
    // Deleted between the two reads.
    return instructions === undefined ? [] : [{ ...row, instructions, scripts: null }];
  });
  return { records, kept: page.length };
}

export async function countSkillsOf(db: Database, scope: string): Promise<number> {
  const [row] = await db
    .select({ total: sql<number>`count(*)` })
    .from(skills)
    .where(and(eq(skills.scope, scope), isListed));
  return row?.total ?? 0;
}

/** Returns the first skills of each scope by name, after a name. Reads each scope along its index. */
export async function firstOfScopes(
  db: Database,
  scopes: readonly string[],
  after: string | null,
  limit: number,
): Promise<SkillSummary[]> {
  const [first, ...rest] = scopes.map((scope) =>
    db
      .select(summaryColumns)
      .from(skills)
      .innerJoin(versions, eq(versions.id, skills.versionId))
      .where(and(eq(skills.scope, scope), after === null ? undefined : gt(skills.name, after)))
      .orderBy(skills.name)
      .limit(limit),
  );
  if (first === undefined) return [];
  return (await db.batch([first, ...rest])).flat();
}

/** A kind of thing that a skill contains besides instructions and other files. */
export const CONTENTS = ["scripts", "tools", "servers", "network"] as const;
export type SkillContent = (typeof CONTENTS)[number];

/** Returns what each version contains, by its id. */
export async function readContentsOf(
  db: Database,
  versionIds: readonly string[],
): Promise<ReadonlyMap<string, SkillContent[]>> {
  const listed = (field: string) => sql<number>`coalesce(json_array_length(${versions.manifest}, ${`$.${field}`}), 0)`;
  const rows = await db
    .select({
      id: versions.id,
      scripts: sql<number>`(SELECT count(*) FROM json_each(${versions.files})
        WHERE json_each.value ->> '$.path' LIKE 'scripts/%')`,
      tools: listed("tools"),
      servers: sql<number>`(SELECT count(*) FROM json_each(${versions.manifest}, '$.mcpServers'))`,
      network: listed("network"),
    })
    .from(versions)
    .where(sql`${versions.id} IN (SELECT value FROM json_each(${JSON.stringify(versionIds)}))`);
  return new Map(rows.map(({ id, ...counts }) => [id, CONTENTS.filter((content) => counts[content] > 0)]));
}

/** Returns the name at a position among the distinct names of the scopes, or `null`. */
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
