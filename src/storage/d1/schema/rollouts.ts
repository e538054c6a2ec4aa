// D1 table of versions that are compared with the version before. See `registry.ts`.

import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { skills } from "./registry";

/**
 * The version of a skill that is compared: the candidate of a rollout, or the version that became current last. Triggers write the rows
 * of current versions, end a rollout when the current version changes, and delete the row when its version is yanked.
 */
export const rollouts = sqliteTable(
  "rollouts",
  {
    skillId: text("skill_id")
      .primaryKey()
      .references(() => skills.id, { onDelete: "cascade" }),
    /** The scope of the skill. */
    scope: text().notNull(),
    candidateId: text("candidate_id").notNull(),
    formerId: text("former_id").notNull(),
    /** The share of conversations that use the candidate; `null`: it is the current version. */
    percent: integer(),
    startedAt: integer("started_at").notNull(),
    /** Number of thresholds of comparisons that were passed, see `domain/insights/comparison.ts`. */
    looks: integer().notNull().default(0),
    /** When the version was found to fail more often, and the numbers: `[uses, failures, uses, failures]` of both. */
    failingAt: integer("failing_at"),
    found: text({ mode: "json" }).$type<[number, number, number, number]>(),
  },
  (t) => [
    index("rollouts_scope").on(t.scope).where(sql`percent IS NOT NULL`),
    index("rollouts_started").on(t.startedAt).where(sql`failing_at IS NULL`),
    index("rollouts_failing").on(t.scope, t.failingAt).where(sql`failing_at IS NOT NULL`),
  ],
);
