// D1 table of recorded runs of a skill's test cases. See `registry.ts`.

import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { EvalCase } from "../../../domain/insights/evals";
import { now, skills } from "./registry";

/** One row per run. A run belongs to a content, so that it can be recorded before the content is published. */
export const evalRuns = sqliteTable(
  "eval_runs",
  {
    /** Ids ascend with the time of recording. */
    id: text().primaryKey(),
    skillId: text("skill_id")
      .notNull()
      .references(() => skills.id, { onDelete: "cascade" }),
    /** Digest of the content, as in `versions`. */
    digest: text().notNull(),
    createdBy: text("created_by").notNull(),
    createdAt: integer("created_at").notNull().default(now),
    /** The program that ran the cases, and the model that it used. */
    runner: text(),
    model: text(),
    passed: integer().notNull(),
    failed: integer().notNull(),
    cases: text({ mode: "json" }).$type<EvalCase[]>().notNull(),
  },
  (t) => [index("eval_runs_content").on(t.skillId, t.digest, t.id), index("eval_runs_maker").on(t.createdBy)],
);

/** The facts of recorded runs in the export of a user. */
export const EXPORTED_EVALS = {
  as: "evals",
  columns: {
    id: evalRuns.id,
    skill_id: evalRuns.skillId,
    digest: evalRuns.digest,
    created_at: evalRuns.createdAt,
    runner: evalRuns.runner,
    model: evalRuns.model,
    cases: evalRuns.cases,
  },
};
