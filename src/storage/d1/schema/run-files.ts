// D1 table of files that scripts wrote. See `registry.ts`.

import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

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
