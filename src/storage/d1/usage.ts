// Exact counts for quotas: of what a user has, and of what a user did in a day.

import { and, eq, inArray, lt, type SQL, sql } from "drizzle-orm";
import { draftScopeBeside } from "../../domain/access/access";
import { fileBytesOf } from "./conversation/run-files";
import type { Database } from "./database";
import { usage } from "./schema/access";
import { ghosts, keys, skills, versions } from "./schema/registry";

/** What is counted, for whom, and since when. */
export interface Use {
  subject: string;
  kind: string;
  /** Milliseconds since the epoch. */
  windowStart: number;
}

/** Counts one more, and returns how many that makes in this window. */
export async function countUse(db: Database, use: Use): Promise<number> {
  const [row] = await counting(db, use);
  return row?.count ?? 0;
}

/** The same as a statement, which gives the count where `condition` holds; it may belong to the batch of what it counts. */
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

/** SQL: how often it was counted in this window. */
export function used({ subject, kind, windowStart }: Use): SQL<number> {
  return sql`(SELECT ${usage.count} FROM ${usage} WHERE ${usage.subject} = ${subject} AND ${usage.kind} = ${kind}
    AND ${usage.windowStart} = ${windowStart})`;
}

/** Forgets windows that ended. */
export async function deleteOldUsage(db: Database, before: number): Promise<void> {
  await db.delete(usage).where(lt(usage.windowStart, before));
}

/** What the skills of a scope are in all. */
export interface SkillsUsed {
  skills: number;
  versions: number;
  /** Their packages, every version, with the flat archives. */
  bytes: number;
  /** What their versions take of the database. */
  databaseBytes: number;
}

/** SQL: what is long in a version's row. A row's head has the lengths, so nothing of the texts is read. */
const LONG = [versions.description, versions.warnings, versions.manifest, versions.frontmatter, versions.files];
const ROW = sql.join(
  [...LONG, versions.instructions].map((column) => sql`octet_length(${column})`),
  sql` + `,
);

/** Statements that count the skills of a scope and what they take, a user's drafts with them; `skillsUsed` reads their answers. */
export function countingSkills(db: Database, scope: string) {
  return [skillCount(db, scope), versionSums(db, scope)] as const;
}

/** How many live keys a user has: one walk along an index. */
export async function countKeys(db: Database, userId: string): Promise<number> {
  const [row] = await keyCount(db, userId);
  return row?.count ?? 0;
}

/** How many ghosts a scope has: one walk along an index. */
export async function countGhosts(db: Database, scope: string): Promise<number> {
  const [row] = await ghostCount(db, scope);
  return row?.count ?? 0;
}

/** What a scope has. */
export type ScopeUsed = SkillsUsed & { ghosts: number };

/** All counts of a scope in one trip, by the statements above. */
export async function readScopeUse(db: Database, scope: string): Promise<ScopeUsed> {
  const [counted, summed, [own]] = await db.batch([...countingSkills(db, scope), ghostCount(db, scope)]);
  return { ...skillsUsed(counted, summed), ghosts: own?.count ?? 0 };
}

/** The same of a user, with keys, with files that were kept since `files`, and with what was counted in the window that began at `day`. */
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
      databaseBytes: sql<number>`coalesce(sum(${ROW} + coalesce((SELECT octet_length(source) FROM version_sources
        WHERE version_id = ${versions.id}), 0)), 0)`,
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

/** What `countingSkills` told. */
export function skillsUsed(
  [counted]: readonly { count: number }[],
  [summed = { versions: 0, bytes: 0, databaseBytes: 0 }]: readonly Omit<SkillsUsed, "skills">[],
): SkillsUsed {
  return { skills: counted?.count ?? 0, ...summed };
}
