// D1 table of predictions of skills, as counts without users. See `registry.ts`.

import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { ghosts } from "./registry";

/** Predictions in conversations of a ghost per day (UTC), see `domain/conversation/prediction/counts.ts`. Deleted with the ghost. */
export const predictionCounts = sqliteTable(
  "prediction_counts",
  {
    ghostId: text("ghost_id")
      .notNull()
      .references(() => ghosts.id, { onDelete: "cascade" }),
    /** Start of the day, in milliseconds since the epoch. */
    day: integer().notNull(),
    messages: integer().notNull(),
    predicted: integer().notNull(),
    appended: integer().notNull(),
    needed: integer().notNull(),
    hits: integer().notNull(),
    saved: integer().notNull(),
    lost: integer().notNull(),
    savedMs: integer("saved_ms").notNull(),
  },
  (t) => [primaryKey({ columns: [t.ghostId, t.day] }), index("prediction_counts_day").on(t.day)],
);
