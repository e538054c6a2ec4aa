// The table of D1 that says which files of scripts are kept. See `registry.ts`.

import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * One row a file. It is written before its object and deleted after it, so an object without a row is nobody's. WITHOUT ROWID, which
 * only its migration says.
 */
export const runFiles = sqliteTable(
  "run_files",
  {
    /** Made of the call and the path, so that a call which is made again has the same. */
    id: text().primaryKey(),
    userId: text("user_id").notNull(),
    conversation: text().notNull(),
    /** The key of its object in R2, which names no user. */
    object: text().notNull(),
    /** Its full path in the run. */
    path: text().notNull(),
    size: integer().notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (t) => [
    // The size is for the quota, which is counted from the index alone.
    index("run_files_user").on(t.userId, t.conversation, t.createdAt, t.id, t.size),
    index("run_files_created").on(t.createdAt),
  ],
);
