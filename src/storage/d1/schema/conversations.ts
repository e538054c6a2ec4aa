// D1 table of the conversation list. See `registry.ts`.

import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * One row per conversation, for lists. The content is in its Durable Object. The migration declares it WITHOUT ROWID, which saves one of
 * three row writes.
 */
export const conversations = sqliteTable(
  "conversations",
  {
    userId: text("user_id").notNull(),
    id: text().notNull(),
    ghost: text(),
    createdAt: integer("created_at").notNull(),
    /** Title set by the user. */
    title: text(),
    /** Reported by the Durable Object from time to time: the last turn, when it began, and the billed tokens. */
    turns: integer(),
    lastTurnAt: integer("last_turn_at"),
    tokens: integer(),
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.id] }),
    index("conversations_user_created").on(t.userId, t.createdAt, t.id),
  ],
);
