// D1 tables of skill usage, as counts without users. See `registry.ts`.

import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { skills } from "./registry";

/** Uses of each version per day (UTC). Deleted with the skill. */
export const skillUse = sqliteTable(
  "skill_use",
  {
    /** Start of the day, in milliseconds since the epoch. */
    day: integer().notNull(),
    skillId: text("skill_id")
      .notNull()
      .references(() => skills.id, { onDelete: "cascade" }),
    versionId: text("version_id").notNull(),
    loads: integer().notNull(),
    calls: integer().notNull(),
    failures: integer().notNull(),
    /** Tokens of instructions that were sent to models. */
    tokens: integer().notNull(),
    /** Votes for the shared list order, see `domain/conversation/skill-use.ts`. Public skills only. */
    votes: integer().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.skillId, t.day, t.versionId] }),
    // The order of a day is computed from this index alone.
    index("skill_use_day").on(t.day, t.skillId, t.votes),
  ],
);

/** Received batches of counts, so that none is added twice. Ids are random. */
export const skillUseBatches = sqliteTable(
  "skill_use_batches",
  { id: text().primaryKey(), day: integer().notNull() },
  (t) => [index("skill_use_batches_day").on(t.day)],
);

/** The most used public skills, in list order, from a day on. The row of a day that has begun does not change. */
export const skillOrders = sqliteTable("skill_orders", {
  day: integer().primaryKey(),
  skillIds: text("skill_ids", { mode: "json" }).$type<string[]>().notNull(),
});
