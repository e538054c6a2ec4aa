// D1 tables of scheduled checks of MCP servers: their health, and the skills approved from them.

import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { mcpServers } from "./access";
import { skills } from "./registry";

/** Results of checks. Rows are deleted after `DURATIONS.serverChecksKept`. */
export const serverChecks = sqliteTable(
  "server_checks",
  {
    server: text()
      .notNull()
      .references(() => mcpServers.name, { onDelete: "cascade" }),
    at: integer().notNull(),
    /** The address as in the entry, with unfilled variables. */
    url: text().notNull(),
    ms: integer().notNull(),
    /** Why the check failed; `null`: the server answered. */
    problem: text(),
  },
  (t) => [primaryKey({ columns: [t.server, t.at, t.url] }), index("server_checks_at").on(t.at)],
);

/** What the last check found of the skills that were approved from servers. */
export const serverSkills = sqliteTable(
  "server_skills",
  {
    skillId: text("skill_id")
      .primaryKey()
      .references(() => skills.id, { onDelete: "cascade" }),
    server: text().notNull(),
    /** The address of the skill at the server. */
    uri: text().notNull(),
    /** `missing`: not offered in the last check. `withdrawn`: not offered in two checks, so its versions were yanked. */
    state: text({ enum: ["approved", "changed", "missing", "withdrawn"] }).notNull(),
    checkedAt: integer("checked_at").notNull(),
  },
  (t) => [index("server_skills_server").on(t.server)],
);
