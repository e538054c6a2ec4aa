// The list of conversations in D1. What a conversation holds is in its object.

import { and, desc, eq, lt, or, sql } from "drizzle-orm";
import { leastTokens } from "./catalog";
import type { Database } from "./database";
import { conversations } from "./schema/registry";
import { runFiles } from "./schema/run-files";
import { counting, type Use, used } from "./usage";
import { isGhostThere } from "./views";

export type ConversationRow = typeof conversations.$inferSelect;

/** What must be there for a conversation to be made, in the scopes that its user sees. */
export interface Requirements {
  scopes: readonly string[];
  /** A stored ghost, by id or name. */
  ghost: string | null;
  /** Skills that fit together into so many tokens. */
  preload: { names: readonly string[]; most: number };
}

/** What became of it. */
export interface Enlisted {
  isGhostThere: boolean;
  /** The fewest tokens that what is preloaded can have. */
  leastTokens: number;
  /** How many that makes in the day; 0 where something is not met. */
  count: number;
}

/**
 * Counts a conversation that is to be made and puts it into its user's list, in one trip. Beyond `most` in the day it is counted
 * and not listed; where a requirement is not met, neither.
 */
export async function enlistConversation(
  db: Database,
  row: ConversationRow,
  day: number,
  most: number,
  { scopes, ghost, preload }: Requirements,
): Promise<Enlisted> {
  const use: Use = { subject: row.userId, kind: "conversations", windowStart: day };
  const there = ghost === null ? sql<number>`true` : isGhostThere(scopes, ghost);
  const least = preload.names.length === 0 ? sql<number>`0` : sql<number>`(${leastTokens(db, scopes, preload.names)})`;
  const met = sql`${there} AND ${least} <= ${preload.most}`;
  const [[found], [counted]] = await db.batch([
    db.select({ there: there.as("ghost_there"), least: least.as("least_tokens") }).from(sql`(SELECT 1) AS asked`),
    counting(db, use, met),
    db
      .insert(conversations)
      .select(
        sql`SELECT ${row.userId}, ${row.id}, ${row.ghost}, ${row.createdAt}, ${row.title} WHERE ${used(use)} <= ${most} AND ${met}`,
      )
      .onConflictDoUpdate({
        target: [conversations.userId, conversations.id],
        set: { ghost: row.ghost, title: row.title },
      }),
  ]);
  return { isGhostThere: found?.there === 1, leastTokens: found?.least ?? 0, count: counted?.count ?? 0 };
}

/** Puts a conversation into its user's list, or changes its ghost and title there. */
export async function putConversationRow(db: Database, row: ConversationRow): Promise<void> {
  await db
    .insert(conversations)
    .values(row)
    .onConflictDoUpdate({
      target: [conversations.userId, conversations.id],
      set: { ghost: row.ghost, title: row.title },
    });
}

/** Takes a conversation off the list, with the rows of the files that it kept. Returns the objects of these. */
export async function deleteConversationRow(db: Database, userId: string, id: string): Promise<string[]> {
  const [, files] = await db.batch([
    db.delete(conversations).where(and(eq(conversations.userId, userId), eq(conversations.id, id))),
    db
      .delete(runFiles)
      .where(and(eq(runFiles.userId, userId), eq(runFiles.conversation, id)))
      .returning({ object: runFiles.object }),
  ]);
  return files.map(({ object }) => object);
}

/** A user's conversations, newest first, after the cursor's `(createdAt, id)`. */
export function listConversationRows(
  db: Database,
  userId: string,
  limit: number,
  after: { createdAt: number; id: string } | null,
): Promise<ConversationRow[]> {
  const older =
    after === null
      ? undefined
      : or(
          lt(conversations.createdAt, after.createdAt),
          and(eq(conversations.createdAt, after.createdAt), lt(conversations.id, after.id)),
        );
  return db
    .select()
    .from(conversations)
    .where(and(eq(conversations.userId, userId), older))
    .orderBy(desc(conversations.createdAt), desc(conversations.id))
    .limit(limit);
}
