// D1 table of registry events, from which streams continue.

import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { JsonObject } from "../../../domain/json";
import { now } from "./registry";

/** Written in the batch of the change. Deleted after `DURATIONS.eventsKept`, and above `EVENT_LIMITS.perScope`. */
export const events = sqliteTable(
  "events",
  {
    seq: integer().primaryKey({ autoIncrement: true }),
    /** The scope of the skill: `user:<id>`, `group:<name>` or `public`. */
    scope: text().notNull(),
    type: text().notNull(),
    data: text({ mode: "json" }).$type<JsonObject>().notNull(),
    at: integer().notNull().default(now),
  },
  (t) => [index("events_scope").on(t.scope, t.seq)],
);

/** What an export contains of the events of a user's skills. */
export const EXPORTED_EVENTS = {
  as: "events",
  columns: { type: events.type, data: events.data, at: events.at },
};
