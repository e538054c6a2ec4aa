// The tables of D1 that say who may do what and what was done: groups, secrets, servers, audit, counts. See `registry.ts`.

import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { JsonObject } from "../../../domain/json";
import { now } from "./registry";

/** A namespace that several people share. Its skills have the scope `group:<name>`. */
export const groups = sqliteTable(
  "groups",
  {
    name: text().primaryKey(),
    /** The name after NFC and case folding. */
    folded: text().notNull().unique(),
    displayName: text("display_name"),
    createdBy: text("created_by").notNull(),
    createdAt: integer("created_at").notNull().default(now),
    updatedAt: integer("updated_at").notNull().default(now),
  },
  (t) => [index("groups_maker").on(t.createdBy)],
);

/** One row a member. */
export const groupMembers = sqliteTable(
  "group_members",
  {
    groupName: text("group_name")
      .notNull()
      .references(() => groups.name, { onDelete: "cascade" }),
    userId: text("user_id").notNull(),
    role: text({ enum: ["Owner", "Maintainer", "Developer", "Reporter"] }).notNull(),
    createdBy: text("created_by").notNull(),
    createdAt: integer("created_at").notNull().default(now),
  },
  (t) => [
    primaryKey({ columns: [t.groupName, t.userId] }),
    index("group_members_user").on(t.userId),
    index("group_members_maker").on(t.createdBy),
  ],
);

/** Remote MCP servers that every conversation may use. The name is what ghosts and skills replace. */
export const mcpServers = sqliteTable(
  "mcp_servers",
  {
    name: text().primaryKey(),
    entry: text({ mode: "json" }).$type<JsonObject>().notNull(),
    createdBy: text("created_by").notNull(),
    createdAt: integer("created_at").notNull().default(now),
    updatedAt: integer("updated_at").notNull().default(now),
    /** What the guard of its tools goes by: the digest that each had when an admin approved it. */
    approved: text({ mode: "json" }).$type<Record<string, string>>(),
    /** Since when calls of conversations fail; `null`: they do not, or nobody calls. */
    downSince: integer("down_since"),
  },
  (t) => [index("mcp_servers_maker").on(t.createdBy)],
);

/**
 * Servers of groups and users. `scope` is `group:<name>` or `user:<id>`. Not in the table of the gateway's, since a gateway of before
 * shows everything there to everybody.
 */
export const ownServers = sqliteTable(
  "own_servers",
  {
    scope: text().notNull(),
    name: text().notNull(),
    entry: text({ mode: "json" }).$type<JsonObject>().notNull(),
    createdBy: text("created_by").notNull(),
    createdAt: integer("created_at").notNull().default(now),
    updatedAt: integer("updated_at").notNull().default(now),
    /** As with the gateway's. */
    downSince: integer("down_since"),
  },
  (t) => [primaryKey({ columns: [t.scope, t.name] }), index("own_servers_maker").on(t.createdBy)],
);

/** Values that only leave towards the hosts they are bound to. `scope` is `gateway`, `group:<name>` or `user:<id>`. */
export const secrets = sqliteTable(
  "secrets",
  {
    id: text().primaryKey(),
    scope: text().notNull(),
    name: text().notNull(),
    hosts: text({ mode: "json" }).$type<string[]>().notNull(),
    /** Which of the deployment's keys encrypted it, and what it made of it: AES-GCM, base64. */
    keyId: text("key_id").notNull(),
    iv: text().notNull(),
    ciphertext: text().notNull(),
    createdBy: text("created_by").notNull(),
    createdAt: integer("created_at").notNull().default(now),
    updatedAt: integer("updated_at").notNull().default(now),
    lastUsedAt: integer("last_used_at"),
  },
  (t) => [
    uniqueIndex("secrets_scope_name").on(t.scope, t.name),
    index("secrets_key").on(t.keyId),
    index("secrets_maker").on(t.createdBy),
  ],
);

/** Who did what. Append-only: triggers refuse every change and deletion. Users stand in it by pseudonym. */
export const audit = sqliteTable(
  "audit",
  {
    seq: integer().primaryKey({ autoIncrement: true }),
    at: integer().notNull().default(now),
    actor: text().notNull(),
    keyId: text("key_id").notNull(),
    action: text().notNull(),
    resourceType: text("resource_type").notNull(),
    resourceId: text("resource_id").notNull(),
    requestId: text("request_id").notNull(),
    before: text({ mode: "json" }).$type<JsonObject>(),
    after: text({ mode: "json" }).$type<JsonObject>(),
  },
  (t) => [
    index("audit_actor").on(t.actor, t.seq),
    index("audit_action").on(t.action, t.seq),
    index("audit_resource").on(t.resourceType, t.resourceId, t.seq),
  ],
);

/** Whom a pseudonym of the audit log stands for. Erasing a user deletes the row, and the log no longer says who it was. */
export const pseudonyms = sqliteTable("pseudonyms", {
  userId: text("user_id").primaryKey(),
  pseudonym: text().notNull().unique(),
});

/** Exact counts for quotas: how often a subject did something in a window of time. */
export const usage = sqliteTable(
  "usage",
  {
    subject: text().notNull(),
    kind: text().notNull(),
    /** When the window began. */
    windowStart: integer("window_start").notNull(),
    count: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.subject, t.kind, t.windowStart] }), index("usage_window").on(t.windowStart)],
);
