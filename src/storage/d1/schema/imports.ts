// The tables behind imports: one row a source and scope, and one for each skill that the source ever offered. See `registry.ts`.

import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { ImportItemState, ImportProblem, ImportSource, ImportState } from "../../../domain/imports/import";
import { now, skills } from "./registry";

/** A source whose skills go to a scope. It is read by one object, whose alarm goes on from the cursor. */
export const imports = sqliteTable(
  "imports",
  {
    id: text().primaryKey(),
    scope: text().notNull(),
    source: text({ mode: "json" }).$type<ImportSource>().notNull(),
    /** Digest of what identifies the source: a scope has one import of it. */
    identity: text().notNull(),
    /** Who runs it, and the key that it runs by, as `services/access/credential.ts` writes it: both are asked at each slice. */
    userId: text("user_id").notNull(),
    credential: text().notNull(),
    isMirror: integer("is_mirror", { mode: "boolean" }).notNull(),
    /** Counts the runs. What a skill's row has of another run is of before. */
    run: integer().notNull(),
    state: text().$type<ImportState>().notNull(),
    problem: text({ mode: "json" }).$type<ImportProblem>(),
    /** The last skill that was looked at, and how many the source has; `null` before it was read. */
    cursor: text(),
    total: integer(),
    createdAt: integer("created_at").notNull().default(now),
    startedAt: integer("started_at").notNull(),
    updatedAt: integer("updated_at").notNull().default(now),
    /** When it goes on by itself; `null`: never. */
    nextAt: integer("next_at"),
  },
  (t) => [
    uniqueIndex("imports_source").on(t.scope, t.identity),
    index("imports_scope").on(t.scope, t.createdAt, t.id),
    index("imports_user").on(t.userId),
    index("imports_next").on(t.nextAt),
  ],
);

/** What a user's export tells of imports. What came of each skill is said by the versions. */
export const EXPORTED_IMPORTS = {
  as: "imports",
  columns: {
    ...{ id: imports.id, source: imports.source, mirror: imports.isMirror, run: imports.run, state: imports.state },
    ...{ problem: imports.problem, created_at: imports.createdAt, started_at: imports.startedAt },
  },
};

/** What became of a skill of the source in the last run that saw it, and which skill here came of it. */
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
    /** What identifies the content that was taken, at the source. */
    digest: text(),
    /** `null`: none came of it, or it was deleted. */
    skillId: text("skill_id").references(() => skills.id, { onDelete: "set null" }),
    versionId: text("version_id"),
    /** Since when the source does not have it any more. */
    removedAt: integer("removed_at"),
  },
  (t) => [primaryKey({ columns: [t.importId, t.name] }), index("import_items_skill").on(t.skillId)],
);
