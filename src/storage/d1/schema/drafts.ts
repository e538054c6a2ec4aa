// D1 tables of drafts and their readers. See `registry.ts`.

import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { skills } from "./registry";

/**
 * One row per draft, next to the skill with its single version in the author's draft scope. That scope is never visible, so queries find
 * drafts only through this table.
 */
export const drafts = sqliteTable(
  "drafts",
  {
    skillId: text("skill_id")
      .primaryKey()
      .references(() => skills.id, { onDelete: "cascade" }),
    /** The target of publishing: `own`, `group:<name>` or `public`. Only drafts that an admin targets at `public` can run code. */
    target: text().notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (t) => [index("drafts_expires").on(t.expiresAt)],
);

/** Users, besides the author, who can select a draft. */
export const draftReaders = sqliteTable(
  "draft_readers",
  {
    userId: text("user_id").notNull(),
    skillId: text("skill_id")
      .notNull()
      .references(() => drafts.skillId, { onDelete: "cascade" }),
  },
  (t) => [primaryKey({ columns: [t.userId, t.skillId] }), index("draft_readers_skill").on(t.skillId)],
);
