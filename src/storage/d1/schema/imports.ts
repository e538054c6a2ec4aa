// D1 tables of imports: one row per source and scope, and one per skill that the source ever offered. See `registry.ts`.

import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { ImportItemState, ImportProblem, ImportSource, ImportState } from "../../../domain/imports/import";
import { now, skills } from "./registry";

/** A source whose skills are imported into a scope. One Durable Object reads it; its alarm continues from the cursor. */
export const imports = sqliteTable(
  "imports",
  {
    id: text().primaryKey(),
    scope: text().notNull(),
    source: text({ mode: "json" }).$type<ImportSource>().notNull(),
    /** Digest of what identifies the source. A scope has one import per source. */
    identity: text().notNull(),
    /**
     * The user who runs the import, and the key it depends on, as written by `services/access/credential.ts`. Both are checked at each
     * slice.
     */
    userId: text("user_id").notNull(),
    credential: text().notNull(),
    isMirror: integer("is_mirror", { mode: "boolean" }).notNull(),
    /** Number of the current run. Item rows with another number belong to an earlier run. */
    run: integer().notNull(),
    state: text().$type<ImportState>().notNull(),
    problem: text({ mode: "json" }).$type<ImportProblem>(),
    /** The last processed skill, and the number of skills in the source; `null` before it was read. */
    cursor: text(),
    total: integer(),
    createdAt: integer("created_at").notNull().default(now),
    startedAt: integer("started_at").notNull(),
    updatedAt: integer("updated_at").notNull().default(now),
    /** Time of the next step; `null`: none is scheduled. */
    nextAt: integer("next_at"),
  },
  (t) => [
    uniqueIndex("imports_source").on(t.scope, t.identity),
    index("imports_scope").on(t.scope, t.createdAt, t.id),
    index("imports_user").on(t.userId),
    index("imports_next").on(t.nextAt),
  ],
);

/** The columns of imports in a user's export. The results of single skills are part of their versions. */
export const EXPORTED_IMPORTS = {
  as: "imports",
  columns: {
    ...{ id: imports.id, source: imports.source, mirror: imports.isMirror, run: imports.run, state: imports.state },
    ...{ problem: imports.problem, created_at: imports.createdAt, started_at: imports.startedAt },
  },
};

/** The result for one skill in the last run that saw it, and the local skill it became. */
export const importItems = sqliteTable(
  "import_items",
  {
    importId: text("import_id")
      .notNull()
      .references(() => imports.id, { onDelete: "cascade" }),
    name: text().notNull(),
    run: integer().notNull(),
    state: text().$type<ImportItemState>().notNull(),
    problem: text({ mode: "json" }).$type<ImportProblem>(),
    /** Identifies the imported content at the source. */
    digest: text(),
    /** `null`: no skill was imported, or it was deleted. */
    skillId: text("skill_id").references(() => skills.id, { onDelete: "set null" }),
    versionId: text("version_id"),
    /** Time at which the source stopped offering it. */
    removedAt: integer("removed_at"),
  },
  (t) => [primaryKey({ columns: [t.importId, t.name] }), index("import_items_skill").on(t.skillId)],
);
