// Exact counts for quotas: of what a user has, and of what a user did in a day.

import { and, eq, lt, type SQL, sql } from "drizzle-orm";
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

/** The same as a statement, which gives the count; it may belong to the batch of what it counts. */
export function counting(db: Database, { subject, kind, windowStart }: Use) {
  return db
    .insert(usage)
    .values({ subject, kind, windowStart, count: 1 })
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
export async function forgetUsage(db: Database, before: number): Promise<void> {
  await db.delete(usage).where(lt(usage.windowStart, before));
}

/** What the skills of a scope are in all. */
export interface SkillsUsed {
  skills: number;
  versions: number;
  /** Their packages, every version. */
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

/** Counts the skills of a scope and what they take, in one trip. */
export async function countSkills(db: Database, scope: string): Promise<SkillsUsed> {
  const own = eq(skills.scope, scope);
  const [[counted], [summed]] = await db.batch([
    db.select({ count: sql<number>`count(*)` }).from(skills).where(own),
    db
      .select({
        versions: sql<number>`count(*)`,
        bytes: sql<number>`coalesce(sum(${versions.zipSize}), 0)`,
        databaseBytes: sql<number>`coalesce(sum(${ROW}), 0)`,
      })
      .from(skills)
      .innerJoin(versions, eq(versions.skillId, skills.id))
      .where(own),
  ]);
  const none = { versions: 0, bytes: 0, databaseBytes: 0 };
  return { skills: counted?.count ?? 0, ...(summed ?? none) };
}

/** How many live keys a user has: one walk along an index. */
export async function countKeys(db: Database, userId: string): Promise<number> {
  const [row] = await db
    .select({ count: sql<number>`count(*)` })
    .from(keys)
    .where(and(eq(keys.userId, userId), sql`${keys.revokedAt} IS NULL`));
  return row?.count ?? 0;
}

/** How many ghosts a scope has: one walk along an index. */
export async function countGhosts(db: Database, scope: string): Promise<number> {
  const [row] = await db.select({ count: sql<number>`count(*)` }).from(ghosts).where(eq(ghosts.scope, scope));
  return row?.count ?? 0;
}
