// The full-text index over skills (migrations/0001_search.sql). Statements that write it belong in the batch of the change
// they mirror, so the index never knows more or less than the rows. It is derived: where it is missing, everything but search
// goes on, and `reindexSkills` makes it again.

import { and, asc, eq, gt, type SQL, sql } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { indexText, scopeToken, searchExpression } from "../../domain/catalog/search";
import { type Database, SEARCH_TABLE } from "./database";
import { skills, versions } from "./schema/registry";

/** Not in `schema/`: drizzle-kit would make a plain table of it. Declared, since drizzle batches built statements only. */
const skillSearch = sqliteTable(SEARCH_TABLE, {
  rowid: integer().notNull(),
  scope: text().notNull(),
  name: text().notNull(),
  description: text().notNull(),
  tags: text().notNull(),
});

/** As in migrations/0001_search.sql; a test holds them together. */
const MAKE_INDEX = sql.raw(
  `CREATE VIRTUAL TABLE IF NOT EXISTS ${SEARCH_TABLE} USING fts5(scope, name, description, tags, tokenize = 'porter unicode61 remove_diacritics 2')`,
);

/** What is searched of a skill: level 1 of its current version. */
export interface SearchText {
  scope: string;
  name: string;
  displayName: string | null;
  description: string;
  tags: readonly string[];
}

/** A hit; `rank` is lower for the better ones. */
export interface SearchHit {
  id: string;
  name: string;
  scope: string;
  rank: number;
}

/** Of rows in one statement: a value of D1 ends at 2 MB, and a character takes up to three bytes. */
const STRETCH_CHARS = 500_000;

const COLUMNS = ["name", "description", "tags"] as const;

/**
 * The best matches among these scopes, best first. A skill that one of the same name in an earlier scope hides is left out.
 * @param scopes first wins, as in `visibleScopes`
 * @param query any text
 */
export async function searchSkills(
  db: Database,
  scopes: readonly string[],
  query: string,
  limit: number,
): Promise<SearchHit[]> {
  const expression = searchExpression(scopes, COLUMNS, query);
  if (expression === null) return [];
  const ranked = JSON.stringify(scopes);
  // Ordered by the index's own rank, so that only as many hits are looked up as it takes to fill the answer.
  return db.all<SearchHit>(sql`
    SELECT skills.id, skills.name, skills.scope, skill_search.rank
    FROM skill_search CROSS JOIN skills ON skills.seq = skill_search.rowid
    WHERE skill_search MATCH ${expression} AND skill_search.rank MATCH 'bm25(0.0, 10.0, 4.0, 4.0)' AND NOT EXISTS (
      SELECT 1 FROM json_each(${ranked}) AS own, json_each(${ranked}) AS other
      CROSS JOIN skills AS hiding ON hiding.scope = other.value AND hiding.name = skills.name AND hiding.tokens >= 0
      WHERE own.value = skills.scope AND other.key < own.key)
    ORDER BY skill_search.rank LIMIT ${limit}`);
}

/** Statements that put a skill into the index, in place of what it said before; where `condition` holds of its row. */
export function indexSkill(db: Database, skillId: string, skill: SearchText, condition: SQL = sql`true`) {
  const { scope, name, description, tags } = indexed(skill);
  return [
    unindexSkill(db, skillId, condition),
    db.insert(skillSearch).select(sql`
      SELECT seq, ${scope}, ${name}, ${description}, ${tags} FROM skills WHERE id = ${skillId} AND ${condition}`),
  ] as const;
}

/** A statement that takes a skill out of the index where `condition` holds; it comes before the one that deletes its row. */
export function unindexSkill(db: Database, skillId: string, condition: SQL = sql`true`) {
  return db
    .delete(skillSearch)
    .where(sql`${skillSearch.rowid} = (SELECT seq FROM skills WHERE id = ${skillId} AND ${condition})`);
}

/**
 * Writes the index of the skills after a position anew, from their rows, and takes out what stands there for skills that are gone.
 * Makes the index where it is missing. Search goes on meanwhile, and so may publishing: a skill that changes between the reading
 * and the writing is left as its own change has indexed it. `next` is the position to go on from, `null` at the end.
 */
export async function reindexSkills(
  db: Database,
  after: number,
  limit: number,
): Promise<{ indexed: number; next: number | null }> {
  const [, page] = await db.batch([
    db.run(MAKE_INDEX),
    db
      .select({
        ...{ seq: skills.seq, versionId: skills.versionId, scope: skills.scope, name: skills.name },
        ...{ displayName: versions.displayName, description: versions.description, tags: versions.tags },
      })
      .from(skills)
      .innerJoin(versions, and(eq(versions.id, skills.versionId), eq(versions.skillId, skills.id)))
      .where(gt(skills.seq, after))
      .orderBy(asc(skills.seq))
      .limit(limit),
  ]);
  const rows = page.map((row) => JSON.stringify({ seq: row.seq, version: row.versionId, ...indexed(row) }));
  let chars = 0;
  const over = rows.findIndex((row, at) => {
    chars += row.length;
    return at > 0 && chars > STRETCH_CHARS;
  });
  const kept = over < 0 ? rows : rows.slice(0, over);
  const last = kept.length < limit && over < 0 ? null : (page[kept.length - 1]?.seq ?? null);
  const range = sql`${gt(skillSearch.rowid, after)} AND ${last === null ? sql`true` : sql`${skillSearch.rowid} <= ${last}`}`;
  const unchanged = sql`json_each(${`[${kept.join(",")}]`}) AS seen JOIN skills
    ON skills.seq = seen.value ->> 'seq' AND skills.version_id = seen.value ->> 'version'`;
  await db.batch([
    db.delete(skillSearch).where(
      sql`${range} AND (${skillSearch.rowid} IN (SELECT skills.seq FROM ${unchanged})
          OR NOT EXISTS (SELECT 1 FROM skills WHERE skills.seq = ${skillSearch.rowid}))`,
    ),
    db.insert(skillSearch).select(sql`
      SELECT skills.seq, seen.value ->> 'scope', seen.value ->> 'name', seen.value ->> 'description', seen.value ->> 'tags'
      FROM ${unchanged}`),
  ]);
  return { indexed: kept.length, next: last };
}

/** A skill's row as the index has it. */
function indexed(skill: SearchText) {
  return {
    scope: scopeToken(skill.scope),
    name: indexText(skill.name, skill.displayName ?? ""),
    description: indexText(skill.description),
    tags: indexText(...skill.tags),
  };
}
