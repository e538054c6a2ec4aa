// The list of conversations.

import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** What exists, for lists; the conversation itself is its Durable Object. WITHOUT ROWID, which only its migration says: two rows, not three. */
export const conversations = sqliteTable(
  "conversations",
  {
    userId: text("user_id").notNull(),
    id: text().notNull(),
    ghost: text(),
    createdAt: integer("created_at").notNull(),
    /** What its user calls it. */
    title: text(),
    /** What its object told last of itself, now and then: its last turn, when that began, and tokens billed. */
    turns: integer(),
    lastTurnAt: integer("last_turn_at"),
    tokens: integer(),
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.id] }),
    index("conversations_user_created").on(t.userId, t.createdAt, t.id),
  ],
);
