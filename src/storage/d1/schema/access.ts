// D1 tables for access and audit: groups, secrets, servers, audit log, usage counts. See `registry.ts`.

import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { JsonObject } from "../../../domain/json";
import { REVIEW_POLICIES } from "../../../domain/settings/settings";
import { now } from "./registry";

/** A namespace shared by its members. Its skills have the scope `group:<name>`. */
export const groups = sqliteTable(
  "groups",
  {
    name: text().primaryKey(),
    /** The name after NFC normalization and case folding. */
    folded: text().notNull().unique(),
    displayName: text("display_name"),
    createdBy: text("created_by").notNull(),
    createdAt: integer("created_at").notNull().default(now),
    updatedAt: integer("updated_at").notNull().default(now),
    /** Whether its skills are reviewed before they are published; `null`: as the operator sets it. */
    review: text({ enum: REVIEW_POLICIES }),
  },
  (t) => [index("groups_maker").on(t.createdBy)],
);

/** One row per member. */
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

/** Remote MCP servers that every conversation can use. Ghosts and skills override them by name. */
export const mcpServers = sqliteTable(
  "mcp_servers",
  {
    name: text().primaryKey(),
    entry: text({ mode: "json" }).$type<JsonObject>().notNull(),
    createdBy: text("created_by").notNull(),
    createdAt: integer("created_at").notNull().default(now),
    updatedAt: integer("updated_at").notNull().default(now),
    /** For a server with a guard: the digest of each tool at the time an admin approved it. */
    approved: text({ mode: "json" }).$type<Record<string, string>>(),
    /** Time since which conversations' calls fail; `null`: they do not fail, or there are none. */
    downSince: integer("down_since"),
  },
  (t) => [index("mcp_servers_maker").on(t.createdBy)],
);

/**
 * Servers of groups and users. `scope` is `group:<name>` or `user:<id>`. They have a table of their own because earlier gateways show every
 * row of `mcp_servers` to everybody.
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
    /** As in `mcpServers`. */
    downSince: integer("down_since"),
  },
  (t) => [primaryKey({ columns: [t.scope, t.name] }), index("own_servers_maker").on(t.createdBy)],
);

/** Values that are only sent to the hosts they are bound to. `scope` is `gateway`, `group:<name>` or `user:<id>`. */
export const secrets = sqliteTable(
  "secrets",
  {
    id: text().primaryKey(),
    scope: text().notNull(),
    name: text().notNull(),
    hosts: text({ mode: "json" }).$type<string[]>().notNull(),
    /** Id of the deployment key that encrypted the value, and the result: AES-GCM, base64. */
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

/** The audit log. Append-only: triggers reject changes and deletions. Users appear under pseudonyms. */
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

/** Maps pseudonyms of the audit log to users. Erasing a user deletes the row, so the log no longer identifies the user. */
export const pseudonyms = sqliteTable("pseudonyms", {
  userId: text("user_id").primaryKey(),
  pseudonym: text().notNull().unique(),
});

/** Exact counts for quotas: uses per subject and time window. */
export const usage = sqliteTable(
  "usage",
  {
    subject: text().notNull(),
    kind: text().notNull(),
    /** Start of the window. */
    windowStart: integer("window_start").notNull(),
    count: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.subject, t.kind, t.windowStart] }), index("usage_window").on(t.windowStart)],
);
