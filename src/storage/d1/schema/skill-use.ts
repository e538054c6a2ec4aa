// The tables of D1 that say how skills are used, in counts without users. See `registry.ts`.

import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { skills } from "./registry";

/** How often the versions of a skill were used in a day (UTC). Goes with its skill. */
export const skillUse = sqliteTable(
  "skill_use",
  {
    /** When the day began, in milliseconds since the epoch. */
    day: integer().notNull(),
    skillId: text("skill_id")
      .notNull()
      .references(() => skills.id, { onDelete: "cascade" }),
    versionId: text("version_id").notNull(),
    loads: integer().notNull(),
    calls: integer().notNull(),
    failures: integer().notNull(),
    /** Of instructions that were told. */
    tokens: integer().notNull(),
    /** What counts for the shared order of the list: see `domain/conversation/skill-use.ts`. Of public skills only. */
    votes: integer().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.skillId, t.day, t.versionId] }),
    // The order of a day is made of this index alone.
    index("skill_use_day").on(t.day, t.skillId, t.votes),
  ],
);

/** Batches of counts that have arrived, so that none is added twice. Their ids are random. */
export const skillUseBatches = sqliteTable(
  "skill_use_batches",
  { id: text().primaryKey(), day: integer().notNull() },
  (t) => [index("skill_use_batches_day").on(t.day)],
);

/** The public skills that were used most, in the order that lists have them in from a day on. A day that began has its row for good. */
export const skillOrders = sqliteTable("skill_orders", {
  day: integer().primaryKey(),
  skillIds: text("skill_ids", { mode: "json" }).$type<string[]>().notNull(),
});
