// The full-text index over skills (migrations/0001_search.sql). Statements that write it belong in the batch of the change
// they mirror, so the index never knows more or less than the rows.

import { type SQL, sql } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { indexText, scopeToken, searchExpression } from "../../domain/catalog/search";
import type { Database } from "./database";

/** Not in `schema/`: drizzle-kit would make a plain table of it. Declared, since drizzle batches built statements only. */
const skillSearch = sqliteTable("skill_search", {
  rowid: integer().notNull(),
  scope: text().notNull(),
  name: text().notNull(),
  description: text().notNull(),
  tags: text().notNull(),
});

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
  const name = indexText(skill.name, skill.displayName ?? "");
  return [
    unindexSkill(db, skillId, condition),
    db.insert(skillSearch).select(sql`
      SELECT seq, ${scopeToken(skill.scope)}, ${name}, ${indexText(skill.description)}, ${indexText(...skill.tags)}
      FROM skills WHERE id = ${skillId} AND ${condition}`),
  ] as const;
}

/** A statement that takes a skill out of the index where `condition` holds; it comes before the one that deletes its row. */
export function unindexSkill(db: Database, skillId: string, condition: SQL = sql`true`) {
  return db
    .delete(skillSearch)
    .where(sql`${skillSearch.rowid} = (SELECT seq FROM skills WHERE id = ${skillId} AND ${condition})`);
}
