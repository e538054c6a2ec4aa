// Stores exact counts for quotas: what a user owns, and what a user did in a day.

import { and, eq, inArray, lt, type SQL, sql } from "drizzle-orm";
import { draftScopeBeside } from "../../domain/access/access";
import { fileBytesOf } from "./conversation/run-files";
import type { Database } from "./database";
import { usage } from "./schema/access";
import { ghosts, keys, skills, versions } from "./schema/registry";

/** What is counted, for whom, and in which window. */
export interface Use {
  subject: string;
  kind: string;
  /** Milliseconds since the epoch. */
  windowStart: number;
}

/** Counts one more use and returns the total in this window. */
export async function countUse(db: Database, use: Use): Promise<number> {
  const [row] = await counting(db, use);
  return row?.count ?? 0;
}

/** `countUse` as a statement that counts only if `condition` holds. It can be part of the batch of the counted change. */
export function counting(db: Database, { subject, kind, windowStart }: Use, condition: SQL = sql`true`) {
  return db
    .insert(usage)
    .select(sql`SELECT ${subject}, ${kind}, ${windowStart}, 1 WHERE ${condition}`)
    .onConflictDoUpdate({
      target: [usage.subject, usage.kind, usage.windowStart],
      set: { count: sql`${usage.count} + 1` },
    })
    .returning({ count: usage.count });
}

/** SQL: the count in this window. */
export function used({ subject, kind, windowStart }: Use): SQL<number> {
  return sql`(SELECT ${usage.count} FROM ${usage} WHERE ${usage.subject} = ${subject} AND ${usage.kind} = ${kind}
    AND ${usage.windowStart} = ${windowStart})`;
}

/** Deletes windows that ended. */
export async function deleteOldUsage(db: Database, before: number): Promise<void> {
  await db.delete(usage).where(lt(usage.windowStart, before));
}

/** Totals of the skills of a scope. */
export interface SkillsUsed {
  skills: number;
  versions: number;
  /** Bytes of the packages of every version, with their flat archives. */
  bytes: number;
  /** Bytes that the versions take in the database. */
  databaseBytes: number;
}

/** The long columns of a version's row. The row header contains their lengths, so the texts are not read. */
const LONG = [versions.description, versions.warnings, versions.manifest, versions.frontmatter, versions.files];
const ROW = sql.join(
  [...LONG, versions.instructions].map((column) => sql`octet_length(${column})`),
  sql` + `,
);

/** Statements that count the skills of a scope and their sizes, including a user's drafts. `skillsUsed` reads the results. */
export function countingSkills(db: Database, scope: string) {
  return [skillCount(db, scope), versionSums(db, scope)] as const;
}

/** Returns the number of a user's live keys, from an index. */
export async function countKeys(db: Database, userId: string): Promise<number> {
  const [row] = await keyCount(db, userId);
  return row?.count ?? 0;
}

/** Returns the number of ghosts in a scope, from an index. */
export async function countGhosts(db: Database, scope: string): Promise<number> {
  const [row] = await ghostCount(db, scope);
  return row?.count ?? 0;
}

/** Totals of a scope. */
export type ScopeUsed = SkillsUsed & { ghosts: number };

/** Returns all totals of a scope in one round trip. */
export async function readScopeUse(db: Database, scope: string): Promise<ScopeUsed> {
  const [counted, summed, [own]] = await db.batch([...countingSkills(db, scope), ghostCount(db, scope)]);
  return { ...skillsUsed(counted, summed), ghosts: own?.count ?? 0 };
}

/** Returns the totals of a user: as `readScopeUse`, with keys, files stored since `files`, and counts of the window that began at `day`. */
export async function readUserUse(
  db: Database,
  userId: string,
  scope: string,
  { day, kinds, files }: { day: number; kinds: readonly string[]; files: number },
): Promise<ScopeUsed & { keys: number; files: number; today: Partial<Record<string, number>> }> {
  const [counted, summed, [own], [live], [kept], today] = await db.batch([
    ...countingSkills(db, scope),
    ghostCount(db, scope),
    keyCount(db, userId),
    fileBytesOf(db, userId, files),
    db
      .select({ kind: usage.kind, count: usage.count })
      .from(usage)
      .where(and(eq(usage.subject, userId), inArray(usage.kind, [...kinds]), eq(usage.windowStart, day))),
  ]);
  return {
    ...skillsUsed(counted, summed),
    ghosts: own?.count ?? 0,
    keys: live?.count ?? 0,
    files: kept?.bytes ?? 0,
    today: Object.fromEntries(today.map(({ kind, count }) => [kind, count])),
  };
}

function skillCount(db: Database, scope: string) {
  return db.select({ count: sql<number>`count(*)` }).from(skills).where(eq(skills.scope, scope));
}

function versionSums(db: Database, scope: string) {
  return db
    .select({
      versions: sql<number>`count(*)`,
      bytes: sql<number>`coalesce(sum(${versions.zipSize}
        + coalesce((SELECT size FROM version_archives WHERE version_id = ${versions.id}), 0)
        + coalesce((SELECT size FROM version_plugins WHERE version_id = ${versions.id}), 0)), 0)`,
      databaseBytes: sql<number>`coalesce(sum(${ROW}
        + coalesce((SELECT octet_length(source) FROM version_sources WHERE version_id = ${versions.id}), 0)
        + coalesce((SELECT octet_length(provenance) FROM version_provenance WHERE version_id = ${versions.id}), 0)
        + coalesce((SELECT octet_length(envelope) FROM version_attestations WHERE version_id = ${versions.id}), 0)
        + coalesce((SELECT sum(octet_length(cases)) FROM eval_runs AS e WHERE e.skill_id = ${versions.skillId} AND e.digest = ${versions.digest}), 0)), 0)`,
    })
    .from(skills)
    .innerJoin(versions, eq(versions.skillId, skills.id))
    .where(inArray(skills.scope, [scope, ...draftScopeBeside(scope)]));
}

function keyCount(db: Database, userId: string) {
  return db
    .select({ count: sql<number>`count(*)` })
    .from(keys)
    .where(and(eq(keys.userId, userId), sql`${keys.revokedAt} IS NULL`));
}

function ghostCount(db: Database, scope: string) {
  return db.select({ count: sql<number>`count(*)` }).from(ghosts).where(eq(ghosts.scope, scope));
}

/** Reads the results of `countingSkills`. */
export function skillsUsed(
  [counted]: readonly { count: number }[],
  [summed = { versions: 0, bytes: 0, databaseBytes: 0 }]: readonly Omit<SkillsUsed, "skills">[],
): SkillsUsed {
  return { skills: counted?.count ?? 0, ...summed };
}
