// The list of conversations in D1. What a conversation holds is in its object.

import { and, desc, eq, lt, or } from "drizzle-orm";
import type { Database } from "./database";
import { conversations } from "./schema";

export type ConversationRow = typeof conversations.$inferSelect;

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
