// D1 tables of conversations: their list, and the files that scripts wrote. See `registry.ts`.

import { sql } from "drizzle-orm";
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
    /** The tokens that would be billed with all skills pasted into the prompt. `null`: not reported, or by an earlier gateway. */
    pastedTokens: integer("pasted_tokens"),
    /** Failed tool calls, and the names of the skills that were active. `null`: not reported, or by an earlier gateway. */
    failures: integer(),
    skills: text({ mode: "json" }).$type<string[]>(),
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.id] }),
    index("conversations_user_created").on(t.userId, t.createdAt, t.id),
    // Few conversations have a failed call, so their list reads no other rows.
    index("conversations_user_failed").on(t.userId, t.createdAt, t.id).where(sql`failures > 0`),
  ],
);

/**
 * One row per file, written before its object and deleted after it, so an object without a row can be deleted. The migration declares it
 * WITHOUT ROWID.
 */
export const runFiles = sqliteTable(
  "run_files",
  {
    /** Derived from the call and the path, so a repeated call has the same ids. */
    id: text().primaryKey(),
    userId: text("user_id").notNull(),
    conversation: text().notNull(),
    /** Key of the object in R2. It does not contain the user. */
    object: text().notNull(),
    /** Full path in the run. */
    path: text().notNull(),
    size: integer().notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (t) => [
    // Includes the size, so that quotas are computed from the index alone.
    index("run_files_user").on(t.userId, t.conversation, t.createdAt, t.id, t.size),
    index("run_files_created").on(t.createdAt),
  ],
);
