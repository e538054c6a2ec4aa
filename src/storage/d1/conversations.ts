// The list of conversations in D1. What a conversation holds is in its object.

import { and, desc, eq, lt, or, sql } from "drizzle-orm";
import type { Database } from "./database";
import { conversations } from "./schema/registry";
import { counting, type Use, used } from "./usage";

export type ConversationRow = typeof conversations.$inferSelect;

/**
 * Counts a conversation that is to be made and puts it into its user's list, in one trip. Beyond `most` in the day it is counted
 * and not listed.
 * @returns how many that makes in the day
 */
export async function enlistConversation(
  db: Database,
  row: ConversationRow,
  day: number,
  most: number,
): Promise<number> {
  const use: Use = { subject: row.userId, kind: "conversations", windowStart: day };
  const [[counted]] = await db.batch([
    counting(db, use),
    db
      .insert(conversations)
      .select(sql`SELECT ${row.userId}, ${row.id}, ${row.ghost}, ${row.createdAt} WHERE ${used(use)} <= ${most}`)
      .onConflictDoUpdate({ target: [conversations.userId, conversations.id], set: { ghost: row.ghost } }),
  ]);
  return counted?.count ?? 0;
}

/** Puts a conversation into its user's list, or changes its ghost there. */
export async function putConversationRow(db: Database, row: ConversationRow): Promise<void> {
  await db
    .insert(conversations)
    .values(row)
    .onConflictDoUpdate({ target: [conversations.userId, conversations.id], set: { ghost: row.ghost } });
}

export async function deleteConversationRow(db: Database, userId: string, id: string): Promise<void> {
  await db.batch([db.delete(conversations).where(and(eq(conversations.userId, userId), eq(conversations.id, id)))]);
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
