// The table of D1 that says which models the chat endpoint may call. See `registry.ts`.

import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { JsonObject } from "../../../domain/json";
import { now } from "./registry";

/** `scope` is `gateway`, `group:<name>` or `user:<id>`; the first that a caller sees counts: own over groups' over the gateway's. */
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

/** Which conversation a chat is whose front end names none: by a digest of all that we said in it. */
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
