// Reads, exports and erases everything that D1 stores about one user.

import { and, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { PUBLIC_USER, userScope } from "../../domain/access/access";
import { eraseFromAudit } from "./audit";
import { titleOfSkill } from "./compat/vendor-skills";
import type { Database } from "./database";
import { provenanceOfVersion } from "./registry/provenance";
import { sourceOfVersion } from "./registry/sources";
import { audit, groupMembers, pseudonyms } from "./schema/access";
import { conversations } from "./schema/conversations";
import type { ErasureCount, UserColumn } from "./schema/people";
import { USER_COLUMNS } from "./schema/people";
import { ghosts, keys, skills, versions } from "./schema/registry";
import { skillUse } from "./schema/skill-use";

type Statement = Parameters<Database["batch"]>[0][number];

/** SQL: the rows of a column that belong to the user. */
function ofUser({ column, holds }: UserColumn, userId: string): SQL {
  return eq(column, holds === "scope" ? userScope(userId) : userId);
}

/** Returns the exported rows by export name. They contain no credentials. */
export async function readUserRows(db: Database, userId: string): Promise<Record<string, unknown[]>> {
  const exports = USER_COLUMNS.flatMap((entry) => {
    if (typeof entry.exported === "string") return [];
    const { as, columns } = entry.exported;
    return [{ as, rows: db.select(columns).from(entry.table).where(ofUser(entry, userId)) }];
  });
  const [acts, ...found] = await db.batch([
    db
      .select({ at: audit.at, action: audit.action, resource_type: audit.resourceType, resource_id: audit.resourceId })
      .from(audit)
      .innerJoin(pseudonyms, eq(pseudonyms.pseudonym, audit.actor))
      .where(eq(pseudonyms.userId, userId))
      .orderBy(audit.seq),
    ...exports.map(({ rows }) => rows),
  ]);
  return { ...Object.fromEntries(exports.map(({ as }, index) => [as, found[index] ?? []])), acts };
}

/** SQL: a total of the use of a version. */
const inAll = (column: SQLiteColumn) =>
  sql<number>`coalesce((SELECT sum(${column}) FROM ${skillUse}
    WHERE ${skillUse.skillId} = ${versions.skillId} AND ${skillUse.versionId} = ${versions.id}), 0)`.as(column.name);

/** Column names must be unique: in a batch, equal names overwrite each other. */
const EXPORTED_VERSION = {
  id: versions.id,
  skill_id: versions.skillId,
  skill: skills.name,
  title: titleOfSkill,
  version: versions.label,
  frontmatter: versions.frontmatter,
  instructions: versions.instructions,
  files: versions.files,
  created_at: versions.createdAt,
  yanked_at: versions.yankedAt,
  source: sourceOfVersion,
  provenance: provenanceOfVersion,
  loads: inAll(skillUse.loads),
  calls: inAll(skillUse.calls),
  failures: inAll(skillUse.failures),
  tokens: inAll(skillUse.tokens),
  listed: inAll(skillUse.listed),
  found: inAll(skillUse.found),
  scripts_ok: inAll(skillUse.scriptsOk),
  scripts_failed: inAll(skillUse.scriptsFailed),
  scripts_killed: inAll(skillUse.scriptsKilled),
  liked: inAll(skillUse.liked),
  disliked: inAll(skillUse.disliked),
  /** Orders the pages; not part of the export. */
  folded: skills.folded,
};

/** The last version of a page. */
export interface LastVersion {
  id: string;
  skill_id: string;
  created_at: number;
  folded: string;
}

/** Returns a page of the versions of a scope's skills, skill by skill, oldest first. */
export async function readScopeVersions(db: Database, scope: string, limit: number, after: LastVersion | null) {
  const inScope = (more: SQL | undefined) =>
    db
      .select(EXPORTED_VERSION)
      .from(skills)
      .innerJoin(versions, eq(versions.skillId, skills.id))
      .where(and(eq(skills.scope, scope), more))
      .orderBy(skills.folded, versions.createdAt, versions.id)
      .limit(limit);
  if (after === null) return inScope(undefined);
  // Two queries: the rest of that skill, then the following skills. One query with OR would read everything again. The skill may have been
  // deleted meanwhile.
  const [left, later] = await db.batch([
    inScope(
      and(
        eq(skills.id, after.skill_id),
        sql`(${versions.createdAt}, ${versions.id}) > (${after.created_at}, ${after.id})`,
      ),
    ),
    inScope(sql`${skills.folded} > ${after.folded}`),
  ]);
  return [...left, ...later].slice(0, limit);
}

/** Returns some of a user's own skills. */
export function readUserSkills(db: Database, userId: string, limit: number) {
  return db
    .select({ id: skills.id, name: skills.name, scope: skills.scope })
    .from(skills)
    .where(eq(skills.scope, userScope(userId)))
    .limit(limit);
}

/** Deletes a user's small rows, keys first so that nothing new is created with them. Returns the counts. */
export async function eraseUserRows(db: Database, userId: string): Promise<Record<ErasureCount, number>> {
  const erased: Record<ErasureCount, number> = { keys: 0, grants: 0, secrets: 0, ghosts: 0, memberships: 0 };
  const deletions = USER_COLUMNS.flatMap((entry) => {
    if (!("how" in entry.erased) || entry.erased.how !== "deleted") return [];
    const rows = db.delete(entry.table).where(ofUser(entry, userId)).returning({ one: sql<number>`1` });
    return [{ counted: entry.erased.counted, rows }];
  });
  const found = await runAll(
    db,
    deletions.map(({ rows }) => rows),
  );
  for (const [index, { counted }] of deletions.entries()) {
    if (counted !== undefined) erased[counted] = found[index]?.length ?? 0;
  }
  return erased;
}

/**
 * Replaces the user's id in rows that stay by the pseudonym, deletes the pseudonym, and removes what the user wrote from the audit log. The
 * last step of an erasure.
 */
export async function anonymizeUser(db: Database, userId: string): Promise<void> {
  const [known] = await db
    .select({ pseudonym: pseudonyms.pseudonym })
    .from(pseudonyms)
    .where(eq(pseudonyms.userId, userId));
  const pseudonym = known?.pseudonym ?? "erased";
  const statements = USER_COLUMNS.flatMap((entry): Statement[] => {
    const { table, column, erased } = entry;
    if (!("how" in erased) || erased.how === "deleted") return [];
    if (erased.how === "forgotten") return [db.delete(table).where(ofUser(entry, userId))];
    const changes = { [propertyOf(entry)]: pseudonym, ...erased.cleared };
    return [
      db
        .update(table)
        .set(changes)
        .where(and(eq(column, userId), erased.only)),
    ];
  });
  await runAll(db, [...statements, ...(known === undefined ? [] : eraseFromAudit(db, pseudonym))]);
}

/** The drizzle property name of a column. */
function propertyOf({ table, column }: UserColumn): string {
  const found = Object.entries(getTableColumns(table)).find(([, one]) => one === column);
  if (found === undefined) throw new Error(`${column.name} is no column of its table`);
  return found[0];
}

/** Runs statements in one batch, in order. */
async function runAll<S extends Statement>(db: Database, statements: readonly S[]) {
  const [first, ...others] = statements;
  return first === undefined ? [] : db.batch([first, ...others]);
}

/** Totals of a user. */
export interface UserFigures {
  userId: string;
  isAdmin: boolean;
  /** Time of the last use of any key, sampled. */
  lastUsedAt: number | null;
  keys: number;
  groups: number;
  skills: number;
  ghosts: number;
  conversations: number;
}

/** Sorts after every user id, by code unit. */
const LAST = "~";

/**
 * Returns every user with a key, skill, ghost, membership or conversation, with totals, by id after one. There is no table of users: each
 * next id is looked up in the indexes of those tables. No total exceeds `most`, which bounds the rows read per user.
 */
export async function listUsers(db: Database, limit: number, after: string, most: number): Promise<UserFigures[]> {
  const next = (id: SQL) => {
    const first = ({ table, column }: { table: SQLiteTable; column: SQLiteColumn }) =>
      sql`coalesce((SELECT ${column} FROM ${table} WHERE ${column} > ${id} ORDER BY ${column} LIMIT 1), ${LAST})`;
    return sql`min(${sql.join(USERS_OF.map(first), sql`, `)})`;
  };
  const count = (rows: SQL) => sql`(SELECT count(*) FROM (SELECT 1 FROM ${rows} LIMIT ${most}))`;
  // The owner of public resources is not a user; it takes one place that is not returned.
  const rows = await db.all<
    Omit<UserFigures, "isAdmin"> & { isAdmin: number }
  >(sql`WITH RECURSIVE known (id, place) AS (
      SELECT ${next(sql`${after}`)}, 1
      UNION ALL SELECT ${next(sql`known.id`)}, place + 1 FROM known WHERE id < ${LAST} AND place <= ${limit})
    SELECT id AS "userId",
      EXISTS (SELECT 1 FROM ${keys} WHERE ${keys.userId} = known.id AND ${keys.revokedAt} IS NULL AND ${keys.role} = 'admin') AS "isAdmin",
      (SELECT max(${keys.lastUsedAt}) FROM ${keys} WHERE ${keys.userId} = known.id) AS "lastUsedAt",
      ${count(sql`${keys} WHERE ${keys.userId} = known.id AND ${keys.revokedAt} IS NULL`)} AS "keys",
      ${count(sql`${groupMembers} WHERE ${groupMembers.userId} = known.id`)} AS "groups",
      ${count(sql`${skills} WHERE ${skills.scope} = ${userScope("")} || known.id`)} AS "skills",
      ${count(sql`${ghosts} WHERE ${ghosts.scope} = ${userScope("")} || known.id`)} AS "ghosts",
      ${count(sql`${conversations} WHERE ${conversations.userId} = known.id`)} AS "conversations"
    FROM known WHERE id < ${LAST} ORDER BY id`);
  return rows
    .filter(({ userId }) => userId !== PUBLIC_USER)
    .slice(0, limit)
    .map(({ isAdmin, ...figures }) => ({ ...figures, isAdmin: isAdmin === 1 }));
}

/** The columns that contain users. Each is the first column of an index. */
const USERS_OF = [
  { table: keys, column: keys.userId },
  { table: conversations, column: conversations.userId },
  { table: groupMembers, column: groupMembers.userId },
  { table: skills, column: skills.userId },
  { table: ghosts, column: ghosts.userId },
];
