// Reads and writes the full-text index over skills (migrations/0001_search.sql). Writes belong in the batch of the change they mirror, so
// index and rows agree. The index is derived: everything but search works without it, and `reindexSkills` recreates it.

import { and, asc, eq, gt, lt, type SQL, sql } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import * as z from "zod";
import { PUBLIC_SCOPE } from "../../domain/access/access";
import { indexedText, queryTerms, SEARCH_WEIGHTS, type SearchText, withinScopes } from "../../domain/catalog/search";
import { SEARCH_LIMITS } from "../../domain/limits";
import { isUserOnly } from "./catalog";
import { type Database, SEARCH_TABLE } from "./database";
import { openSkills } from "./schema/compat";
import { skills, versions } from "./schema/registry";
import { type SkillRecord, whenToUse } from "./skills";

/**
 * Not in `schema/`, because drizzle-kit would create a plain table. Declared because drizzle only batches built statements. The last two
 * columns are NULL in rows written before migration 0007.
 */
const skillSearch = sqliteTable(SEARCH_TABLE, {
  rowid: integer().notNull(),
  scope: text().notNull(),
  name: text().notNull(),
  description: text().notNull(),
  tags: text().notNull(),
  examples: text(),
  body: text(),
});

/** Equal to migrations/0007_search_bodies.sql. A test compares them. */
const MAKE_INDEX = sql.raw(
  `CREATE VIRTUAL TABLE IF NOT EXISTS ${SEARCH_TABLE} USING fts5(scope, name, description, tags, examples, body, tokenize = 'porter unicode61 remove_diacritics 2')`,
);

/** A search result. Better results have a lower `rank`. */
export interface SearchHit {
  id: string;
  name: string;
  scope: string;
  /** The current version. */
  versionId: string;
  rank: number;
}

/** Characters of rows in one statement. A D1 value is limited to 2 MB, and a character takes up to three bytes. */
const STRETCH_CHARS = 500_000;

/** SQL: the rank of a hit. The scope, the first column, has no weight. */
const RANK = `bm25(0.0, ${SEARCH_WEIGHTS.map((weight) => weight.toFixed(1)).join(", ")})`;
const COLUMNS = "{name description tags examples body}";
/** An expression that matches nothing: scopes consist of digits. */
const NOTHING = '{scope} : "nothing"';
const HEAD = "{name description tags}";

/**
 * Returns the best matches in these scopes, best first. Leaves out skills hidden by a skill of the same name in an earlier scope.
 * @param scopes first wins, as in `visibleScopes`
 * @param query any text
 * @param skip number of best matches to skip
 */
export async function searchSkills(
  db: Database,
  scopes: readonly string[],
  query: string,
  limit: number,
  skip = 0,
): Promise<SearchHit[]> {
  const statement = searchStatement(scopes, query, limit, skip);
  return statement === null ? [] : db.all<SearchHit>(statement);
}

/** SQL of `searchSkills`; `null` if nothing can match. */
export function searchStatement(scopes: readonly string[], query: string, limit: number, skip = 0): SQL | null {
  const expression = matching(scopes, query);
  if (expression === null) return null;
  // Ordered by the index's rank, so that only the returned hits are joined.
  return sql`
    SELECT skills.id, skills.name, skills.scope, skills.version_id AS versionId, skill_search.rank
    FROM skill_search CROSS JOIN skills ON skills.seq = skill_search.rowid
    WHERE skill_search MATCH ${expression} AND skill_search.rank MATCH ${RANK} AND NOT ${isHidden(scopes)}
    ORDER BY skill_search.rank LIMIT ${limit} OFFSET ${skip}`;
}

/** SQL, next to `skill_search`: the row is of an open skill. */
const isOpenRow = sql`EXISTS (SELECT 1 FROM skills AS found CROSS JOIN ${openSkills} ON ${openSkills.skillId} = found.id
  WHERE found.seq = skill_search.rowid)`;

/**
 * Returns the ids of the best matches on the open list, best first. Only open skills decide which terms are used and which skills are
 * found. The order also depends on the word counts of the whole index.
 */
export async function searchOpenSkills(db: Database, query: string, limit: number): Promise<string[]> {
  const expression = matching([PUBLIC_SCOPE], query, isOpenRow);
  if (expression === null) return [];
  const rows = await db.all<{ id: string }>(sql`
    SELECT skills.id FROM skill_search CROSS JOIN skills ON skills.seq = skill_search.rowid
    WHERE skill_search MATCH ${expression} AND skill_search.rank MATCH ${RANK} AND ${isOpenRow}
    ORDER BY skill_search.rank LIMIT ${limit}`);
  return rows.map(({ id }) => id);
}

/** A skill under trial, or an existing one. */
export interface TrialHit {
  /** Index of the trial; `null`: an existing skill. */
  trial: number | null;
  name: string;
}

/**
 * Returns what a model would find for each query if these versions were published, best first. The trials are in the index for one batch
 * that is rolled back, so nobody else sees them. A trial hides existing skills of its name. Skills that only users can select are left out.
 *
 * @param trials versions of one skill
 * @param only names of other skills that may be found; `null`: all
 */
export async function searchOnTrial(
  db: Database,
  scopes: readonly string[],
  trials: readonly SearchText[],
  queries: readonly string[],
  { limit, only }: { limit: number; only: readonly string[] | null },
): Promise<TrialHit[][]> {
  const own = trials[0]?.name ?? "";
  const allowed =
    only === null ? sql`true` : sql`skills.name IN (SELECT value FROM json_each(${JSON.stringify(only)}))`;
  const searches = queries.map((query) =>
    db
      .select({
        trial: sql<number | null>`iif(${skillSearch.rowid} < 0, -1 - ${skillSearch.rowid}, NULL)`.as("trial"),
        name: sql<string>`coalesce(${skills.name}, ${own})`.as("found_name"),
      })
      .from(skillSearch)
      .leftJoin(skills, eq(skills.seq, skillSearch.rowid))
      .where(
        sql`skill_search MATCH ${matching(scopes, query) ?? NOTHING} AND skill_search.rank MATCH ${RANK} AND (${skillSearch.rowid} < 0
          OR (skills.name <> ${own} AND ${allowed} AND NOT ${isHidden(scopes)} AND NOT EXISTS (
            SELECT 1 FROM ${versions} WHERE ${versions.id} = skills.version_id AND ${isUserOnly})))`,
      )
      .orderBy(sql`skill_search.rank`)
      .limit(limit),
  );
  const rows = trials.map((trial, place) => ({ rowid: -1 - place, ...indexedText(trial) }));
  const [, ...found] = await db.batch([
    db.insert(skillSearch).values(rows),
    ...searches,
    db.delete(skillSearch).where(lt(skillSearch.rowid, 0)),
  ]);
  return found.flatMap((hits) => (Array.isArray(hits) ? [hits] : []));
}

/** SQL: a skill of the same name in an earlier scope hides this one. */
function isHidden(scopes: readonly string[]): SQL {
  const ranked = JSON.stringify(scopes);
  return sql`EXISTS (
    SELECT 1 FROM json_each(${ranked}) AS own, json_each(${ranked}) AS other
    CROSS JOIN skills AS hiding ON hiding.scope = other.value AND hiding.name = skills.name AND hiding.tokens >= 0
    WHERE own.value = skills.scope AND other.key < own.key)`;
}

/**
 * SQL: the FTS5 expression of a query. It uses the rarest terms, as long as few enough rows contain them: common words hardly distinguish
 * skills, but ranking every row that contains one takes most of the time in a large catalog. If even the rarest term is too common, only
 * the short columns are searched. In a short query, a word that matches nothing is also tried as a prefix.
 *
 * @param only the rows that are counted, so that other rows do not change which terms are used
 */
function matching(scopes: readonly string[], query: string, only: SQL = sql`true`): SQL | null {
  const { terms, mayGoOn } = queryTerms(query);
  if (terms.length === 0 || scopes.length === 0) return null;
  const within = `${withinScopes(scopes)} AND `;
  const most = SEARCH_LIMITS.rows;
  const rowsWith = (term: SQL) =>
    sql`(SELECT count(*) FROM (SELECT 1 FROM skill_search WHERE skill_search MATCH ${`${within}${COLUMNS} : `} || ${term} AND ${only} LIMIT ${most + 1}))`;
  const head = sql`${`${within}${HEAD} : (`} || (SELECT group_concat(term, ' OR ') FROM summed) || ')'`;
  return sql`(
    WITH known AS MATERIALIZED (
      SELECT key AS place, value AS term, ${rowsWith(sql`value`)} AS docs FROM json_each(${JSON.stringify(terms)})),
    counted AS MATERIALIZED (
      SELECT place, term, docs FROM known WHERE docs > 0 OR NOT ${mayGoOn}
      UNION ALL SELECT place, term || '*', ${rowsWith(sql`term || '*'`)} FROM known WHERE docs = 0 AND ${mayGoOn}),
    summed AS (SELECT term, docs, sum(docs) OVER (ORDER BY docs, place ROWS UNBOUNDED PRECEDING) AS upto FROM counted WHERE docs > 0),
    taken AS (SELECT group_concat(term, ' OR ') AS terms, min(docs) AS fewest FROM summed WHERE upto <= ${most} OR upto = docs)
    SELECT CASE WHEN terms IS NULL THEN ${NOTHING}
      WHEN fewest > ${most} AND EXISTS (SELECT 1 FROM skill_search WHERE skill_search MATCH ${head}) THEN ${head}
      ELSE ${`${within}${COLUMNS} : (`} || terms || ')' END FROM taken)`;
}

/** The parts of a version that are searched. */
export type Searched = Pick<
  SkillRecord,
  "displayName" | "description" | "tags" | "manifest" | "instructions" | "whenToUse"
>;

export function searchText({ scope, name }: { scope: string; name: string }, version: Searched): SearchText {
  const { displayName, description, tags, whenToUse, instructions, manifest } = version;
  return { scope, name, displayName, description, tags, whenToUse, instructions, examples: manifest.examples ?? [] };
}

/** Statements that replace a skill's index row, where `condition` holds for the skill. */
export function indexSkill(db: Database, skillId: string, skill: SearchText, condition: SQL = sql`true`) {
  const { scope, name, description, tags, examples, body } = indexedText(skill);
  return [
    unindexSkill(db, skillId, condition),
    db.insert(skillSearch).select(sql`
      SELECT seq, ${scope}, ${name}, ${description}, ${tags}, ${examples}, ${body} FROM skills WHERE id = ${skillId} AND ${condition}`),
  ] as const;
}

/** Statement that removes a skill from the index where `condition` holds. It must run before the skill's row is deleted. */
export function unindexSkill(db: Database, skillId: string, condition: SQL = sql`true`) {
  return db
    .delete(skillSearch)
    .where(sql`${skillSearch.rowid} = (SELECT seq FROM skills WHERE id = ${skillId} AND ${condition})`);
}

/**
 * Rewrites the index of the skills after a position from their rows, removes rows of deleted skills, and creates the index if it is
 * missing. Search and publishing continue meanwhile: a skill that changes between the read and the write keeps the row of its own change.
 * `next` is the next position, `null` at the end.
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
        whenToUse,
        examples: sql`coalesce(${versions.manifest} -> '$.examples', '[]')`.mapWith(readTexts),
        instructions: sql<string>`substr(${versions.instructions}, 1, ${SEARCH_LIMITS.bodyChars})`,
      })
      .from(skills)
      .innerJoin(versions, and(eq(versions.id, skills.versionId), eq(versions.skillId, skills.id)))
      .where(sql`${skills.seq} > ${after} AND ${skills.scope} NOT LIKE 'draft:%'`)
      .orderBy(asc(skills.seq))
      .limit(limit),
  ]);
  const rows = page.map((row) => JSON.stringify({ seq: row.seq, version: row.versionId, ...indexedText(row) }));
  let chars = 0;
  const over = rows.findIndex((row, at) => {
    chars += row.length;
    return at > 0 && chars > STRETCH_CHARS;
  });
  const rowsBelowLimit = over < 0 ? rows : rows.slice(0, over);
  const last = rowsBelowLimit.length < limit && over < 0 ? null : (page[rowsBelowLimit.length - 1]?.seq ?? null);
  const range = sql`${gt(skillSearch.rowid, after)} AND ${last === null ? sql`true` : sql`${skillSearch.rowid} <= ${last}`}`;
  const unchanged = sql`json_each(${`[${rowsBelowLimit.join(",")}]`}) AS seen JOIN skills
    ON skills.seq = seen.value ->> 'seq' AND skills.version_id = seen.value ->> 'version'`;
  await db.batch([
    db.delete(skillSearch).where(
      sql`${range} AND (${skillSearch.rowid} IN (SELECT skills.seq FROM ${unchanged})
          OR NOT EXISTS (SELECT 1 FROM skills WHERE skills.seq = ${skillSearch.rowid}))`,
    ),
    db.insert(skillSearch).select(sql`
      SELECT skills.seq, seen.value ->> 'scope', seen.value ->> 'name', seen.value ->> 'description', seen.value ->> 'tags',
        seen.value ->> 'examples', seen.value ->> 'body'
      FROM ${unchanged}`),
  ]);
  return { indexed: rowsBelowLimit.length, next: last };
}

const texts = z.array(z.string());

function readTexts(json: string): string[] {
  return texts.parse(JSON.parse(json));
}
