// D1 tables of skill usage, as counts without users. See `registry.ts`.

import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { skills } from "./registry";

/** Uses of each version per day (UTC). Deleted with the skill. */
export const skillUse = sqliteTable(
  "skill_use",
  {
    /** Start of the day, in milliseconds since the epoch. */
    day: integer().notNull(),
    skillId: text("skill_id")
      .notNull()
      .references(() => skills.id, { onDelete: "cascade" }),
    versionId: text("version_id").notNull(),
    loads: integer().notNull(),
    calls: integer().notNull(),
    failures: integer().notNull(),
    /** Tokens of instructions that were sent to models. */
    tokens: integer().notNull(),
    /** Votes for the shared list order, see `domain/conversation/skill-use.ts`. Public skills only. */
    votes: integer().notNull(),
    /** Turns in which the model was shown a list with it. Added every hour from `listings`. */
    listed: integer().notNull().default(0),
    /** Results of `find_skill` that contained it. */
    found: integer().notNull().default(0),
    /** Script runs by outcome: exit code 0, another one, and those that did not end by themselves. */
    scriptsOk: integer("scripts_ok").notNull().default(0),
    scriptsFailed: integer("scripts_failed").notNull().default(0),
    scriptsKilled: integer("scripts_killed").notNull().default(0),
    /** Turns with good and with bad feedback in which it was active. */
    liked: integer().notNull().default(0),
    disliked: integer().notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.skillId, t.day, t.versionId] }),
    // The order of a day is computed from this index alone.
    index("skill_use_day").on(t.day, t.skillId, t.votes),
  ],
);

/**
 * The same per hour (UTC), summed over the skills of a scope, including deleted ones; `*`: of all scopes. Hours become days after a week.
 */
export const useHours = sqliteTable(
  "use_hours",
  {
    /** `user:<id>`, `group:<name>`, `public` or `*`. */
    scope: text().notNull(),
    hour: integer().notNull(),
    loads: integer().notNull().default(0),
    calls: integer().notNull().default(0),
    failures: integer().notNull().default(0),
    tokens: integer().notNull().default(0),
    found: integer().notNull().default(0),
    scriptsOk: integer("scripts_ok").notNull().default(0),
    scriptsFailed: integer("scripts_failed").notNull().default(0),
    scriptsKilled: integer("scripts_killed").notNull().default(0),
    liked: integer().notNull().default(0),
    disliked: integer().notNull().default(0),
    /** Searches for skills, and those without a result. Only in the rows of all scopes, because a search has no skill. */
    searches: integer().notNull().default(0),
    searchesEmpty: integer("searches_empty").notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.scope, t.hour] }), index("use_hours_hour").on(t.hour)],
);

/** Lists of skills that models were shown on a day, until the hourly job adds them to `skill_use`. */
export const listings = sqliteTable(
  "listings",
  {
    seq: integer().primaryKey({ autoIncrement: true }),
    day: integer().notNull(),
    /** `[[skill_id, version_id], …]` */
    skills: text().notNull(),
    turns: integer().notNull(),
  },
  (t) => [uniqueIndex("listings_day").on(t.day, t.skills)],
);

/** Calls of stored MCP servers and models per day (UTC). */
export const serviceUse = sqliteTable(
  "service_use",
  {
    /** `user:<id>`, `group:<name>` or `gateway`. */
    scope: text().notNull(),
    kind: text({ enum: ["server", "model"] }).notNull(),
    name: text().notNull(),
    day: integer().notNull(),
    calls: integer().notNull(),
    failures: integer().notNull(),
    /** Tokens of requests to a model, as it reports them. */
    tokens: integer().notNull().default(0),
    /** The server and model that the tokens below belong to, see `domain/chat/list-prices.ts`; empty: several, or one without list prices. */
    billedAs: text("billed_as"),
    /** Tokens that its server reported by kind, of requests at standard prices. */
    fresh: integer().notNull().default(0),
    cacheRead: integer("cache_read").notNull().default(0),
    cacheWrite: integer("cache_write").notNull().default(0),
    longWrite: integer("long_write").notNull().default(0),
    output: integer().notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.scope, t.kind, t.name, t.day] }), index("service_use_day").on(t.day, t.kind)],
);

export const EXPORTED_SERVICE_USE = {
  as: "service_use",
  columns: {
    kind: serviceUse.kind,
    name: serviceUse.name,
    day: serviceUse.day,
    calls: serviceUse.calls,
    failures: serviceUse.failures,
    tokens: serviceUse.tokens,
    billed_as: serviceUse.billedAs,
    fresh: serviceUse.fresh,
    cache_read: serviceUse.cacheRead,
    cache_write: serviceUse.cacheWrite,
    long_write: serviceUse.longWrite,
    output: serviceUse.output,
  },
};

/** Received batches of counts, so that none is added twice. Ids are random. */
export const skillUseBatches = sqliteTable(
  "skill_use_batches",
  { id: text().primaryKey(), day: integer().notNull() },
  (t) => [index("skill_use_batches_day").on(t.day)],
);

/** The most used public skills, in list order, from a day on. The row of a day that has begun does not change. */
export const skillOrders = sqliteTable("skill_orders", {
  day: integer().primaryKey(),
  skillIds: text("skill_ids", { mode: "json" }).$type<string[]>().notNull(),
});

/** Searches that found no skill, with `INSIGHT_QUERIES`. Redacted, see `domain/insights/query.ts`. */
export const searchMisses = sqliteTable(
  "search_misses",
  {
    seq: integer().primaryKey({ autoIncrement: true }),
    userId: text("user_id").notNull(),
    at: integer().notNull(),
    query: text().notNull(),
  },
  (t) => [index("search_misses_user").on(t.userId, t.at), index("search_misses_at").on(t.at)],
);

export const EXPORTED_SEARCHES = { as: "searches", columns: { at: searchMisses.at, query: searchMisses.query } };
