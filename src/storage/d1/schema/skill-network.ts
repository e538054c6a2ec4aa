// Tables of what skill code can call: approved hosts, and users' values for them.

import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { now, skills } from "./registry";

/** The hosts that code of a skill can call, out of those that its versions declare. A skill without a row can call none. */
export const skillNetworks = sqliteTable("skill_networks", {
  skillId: text("skill_id")
    .primaryKey()
    .references(() => skills.id, { onDelete: "cascade" }),
  hosts: text({ mode: "json" }).$type<string[]>().notNull(),
  updatedAt: integer("updated_at").notNull().default(now),
});

/** The values of variables of a skill. `scope` is the user's, or the gateway's for a value that all users of the skill share. */
export const skillEnv = sqliteTable(
  "skill_env",
  {
    id: text().primaryKey(),
    scope: text().notNull(),
    skillId: text("skill_id")
      .notNull()
      .references(() => skills.id, { onDelete: "cascade" }),
    name: text().notNull(),
    /** The hosts that the value can be sent to: those that the skill declared when it was set. */
    hosts: text({ mode: "json" }).$type<string[]>().notNull(),
    /** As in `secrets`. */
    keyId: text("key_id").notNull(),
    iv: text().notNull(),
    ciphertext: text().notNull(),
    createdBy: text("created_by").notNull(),
    createdAt: integer("created_at").notNull().default(now),
    updatedAt: integer("updated_at").notNull().default(now),
    lastUsedAt: integer("last_used_at"),
  },
  (t) => [
    uniqueIndex("skill_env_name").on(t.scope, t.skillId, t.name),
    index("skill_env_skill").on(t.skillId),
    index("skill_env_key").on(t.keyId),
    index("skill_env_maker").on(t.createdBy),
  ],
);
