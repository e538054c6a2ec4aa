// D1 tables of the chat endpoint. See `registry.ts`.

import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { JsonObject } from "../../../domain/json";
import { now } from "./registry";

/**
 * `scope` is `gateway`, `group:<name>` or `user:<id>`. If names are equal, the user's own comes first, then groups', then the gateway's.
 */
export const models = sqliteTable(
  "models",
  {
    scope: text().notNull(),
    name: text().notNull(),
    entry: text({ mode: "json" }).$type<JsonObject>().notNull(),
    createdBy: text("created_by").notNull(),
    createdAt: integer("created_at").notNull().default(now),
    updatedAt: integer("updated_at").notNull().default(now),
  },
  (t) => [primaryKey({ columns: [t.scope, t.name] }), index("models_maker").on(t.createdBy)],
);

/** Finds the conversation of a chat whose front end sends no id, by a digest of all previous answers. */
export const chatTails = sqliteTable(
  "chat_tails",
  {
    userId: text("user_id").notNull(),
    digest: text().notNull(),
    conversationId: text("conversation_id").notNull(),
    at: integer().notNull().default(now),
  },
  (t) => [primaryKey({ columns: [t.userId, t.digest] }), index("chat_tails_at").on(t.at)],
);
