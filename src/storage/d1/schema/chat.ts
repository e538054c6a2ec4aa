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
