// Stores the rows of files that scripts wrote. The bytes are in R2.

import { and, desc, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import { SCRIPT_FILES } from "../../../domain/code/script-limits";
import type { Database } from "../database";
import { conversations, runFiles } from "../schema/conversations";

export type RunFileRow = typeof runFiles.$inferSelect;

/** A conversation of a user. */
export interface FileOwner {
  userId: string;
  conversation: string;
}

const COUNTED = sql`max(${runFiles.size}, ${SCRIPT_FILES.countedBytes})`;

/** SQL: the bytes that a user's files take since `since`. Each file counts as at least a few KiB. */
function takenBy(userId: string, since: number, but: SQL = sql`true`): SQL<number> {
  return sql<number>`(SELECT coalesce(sum(${COUNTED}), 0) FROM ${runFiles}
    WHERE ${runFiles.userId} = ${userId} AND ${runFiles.createdAt} >= ${since} AND ${but})`;
}

/** Statement that returns the bytes of a user's files. */
export function fileBytesOf(db: Database, userId: string, since: number) {
  return db.select({ bytes: takenBy(userId, since).as("file_bytes") }).from(sql`(SELECT 1) AS asked`);
}

/** The limits for storing files: bytes per user since a time, and bytes of one folder per conversation. */
export interface FileRoom {
  since: number;
  most: number;
  /** The path prefix of a folder and its limit in each conversation. */
  folder?: { path: string; most: number };
}

/**
 * Writes rows one by one while the user is below the limit and the conversation is listed, so that no row outlives its conversation.
 * Returns the ids that were written.
 */
export async function reserveRunFiles(
  db: Database,
  rows: readonly RunFileRow[],
  { since, most, folder }: FileRoom,
): Promise<Set<string>> {
  const [first, ...others] = rows.map((row) => {
    const there = sql`EXISTS (SELECT 1 FROM ${conversations} WHERE ${conversations.userId} = ${row.userId}
      AND ${conversations.id} = ${row.conversation})`;
    const taken = takenBy(row.userId, since, sql`${runFiles.id} <> ${row.id}`);
    const more = Math.max(row.size, SCRIPT_FILES.countedBytes);
    const fits =
      folder === undefined
        ? sql`true`
        : sql`${takenBy(row.userId, since, inFolder(row, folder.path))} + ${more} <= ${folder.most}`;
    return db
      .insert(runFiles)
      .select(
        sql`SELECT ${row.id}, ${row.userId}, ${row.conversation}, ${row.object}, ${row.path}, ${row.size}, ${row.createdAt}
          WHERE ${there} AND ${taken} + ${more} <= ${most} AND ${fits}`,
      )
      .onConflictDoUpdate({ target: runFiles.id, set: { size: row.size, createdAt: row.createdAt } })
      .returning({ id: runFiles.id });
  });
  if (first === undefined) return new Set();
  const written = await db.batch([first, ...others]);
  return new Set(written.flat().map(({ id }) => id));
}

/** SQL: the other files in a folder of the conversation. */
function inFolder({ id, conversation }: RunFileRow, path: string): SQL {
  return sql`${runFiles.conversation} = ${conversation} AND ${runFiles.id} <> ${id}
    AND substr(${runFiles.path}, 1, ${path.length}) = ${path}`;
}

/** Returns files of a conversation by id, if stored since `since`. Files of other conversations are absent. */
export async function readRunFiles(
  db: Database,
  { userId, conversation }: FileOwner,
  ids: readonly string[],
  since: number,
): Promise<RunFileRow[]> {
  return db
    .select()
    .from(runFiles)
    .where(
      and(
        sql`${runFiles.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
        eq(runFiles.userId, userId),
        eq(runFiles.conversation, conversation),
        gte(runFiles.createdAt, since),
      ),
    );
}

/** Returns a page of a conversation's files, newest first; `null` if the user has no such conversation. */
export async function listRunFiles(
  db: Database,
  { userId, conversation }: FileOwner,
  { since, limit, after }: { since: number; limit: number; after: { createdAt: number; id: string } | null },
): Promise<RunFileRow[] | null> {
  const older =
    after === null ? undefined : sql`(${runFiles.createdAt}, ${runFiles.id}) < (${after.createdAt}, ${after.id})`;
  const [known, rows] = await db.batch([
    db
      .select({ id: conversations.id })
      .from(conversations)
      .where(and(eq(conversations.userId, userId), eq(conversations.id, conversation))),
    db
      .select()
      .from(runFiles)
      .where(
        and(
          eq(runFiles.userId, userId),
          eq(runFiles.conversation, conversation),
          gte(runFiles.createdAt, since),
          older,
        ),
      )
      .orderBy(desc(runFiles.createdAt), desc(runFiles.id))
      .limit(limit),
  ]);
  return known.length === 0 ? null : rows;
}

/** Returns files stored before this time, oldest first. */
export function expiredRunFiles(db: Database, before: number, limit: number): Promise<RunFileRow[]> {
  return db.select().from(runFiles).where(lt(runFiles.createdAt, before)).orderBy(runFiles.createdAt).limit(limit);
}

/** Returns the ids that have a row and a listed conversation. */
export async function existingRunFiles(db: Database, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .select({ id: runFiles.id })
    .from(runFiles)
    .innerJoin(
      conversations,
      and(eq(conversations.userId, runFiles.userId), eq(conversations.id, runFiles.conversation)),
    )
    .where(sql`${runFiles.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`);
  return new Set(rows.map(({ id }) => id));
}

/** Deletes rows whose objects are already deleted. */
export async function deleteRunFiles(db: Database, ids: readonly string[]): Promise<void> {
  await db.delete(runFiles).where(sql`${runFiles.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`);
}
