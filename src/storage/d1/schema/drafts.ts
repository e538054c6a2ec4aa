// The tables of D1 that say which skills are drafts, and who may use them. See `registry.ts`.

import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { skills } from "./registry";

/**
 * One row a draft, beside the skill that holds its one version in its author's scope of drafts. No visible scope is that, so whatever
 * asks for skills finds drafts only by way of this table.
 */
export const drafts = sqliteTable(
  "drafts",
  {
    skillId: text("skill_id")
      .primaryKey()
      .references(() => skills.id, { onDelete: "cascade" }),
    /** Where it would be published: `own`, `group:<name>` or `public`. Only what an admin means for everybody runs code. */
    target: text().notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (t) => [index("drafts_expires").on(t.expiresAt)],
);

/** Users whom a draft names. Beside its author only they may choose it. */
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
