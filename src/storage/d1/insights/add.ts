// Adds a conversation's counts to the figures of scopes, MCP servers and lists, and rolls older figures up.

import { and, gte, lt, lte, type SQL, sql } from "drizzle-orm";
import { USE_COUNTS, type UseBatch } from "../../../domain/conversation/skill-use";
import { NO_USAGE, type Usage } from "../../../domain/conversation/usage";
import type { Database } from "../database";
import { skills } from "../schema/registry";
import { listings, searchMisses, serviceUse, skillUse, useHours } from "../schema/skill-use";

/** Rows of `use_hours` that sum all scopes. */
export const ALL_SCOPES = "*";

const OF_ALL = ["searches", "searches_empty"] as const;

/** SQL: the sum of the stored and the added value of each column of `use_hours`. */
const added = (name: (typeof USE_COUNTS)[number] | (typeof OF_ALL)[number]) => sql.raw(`${name} + excluded.${name}`);
const ADDED = {
  loads: added("loads"),
  calls: added("calls"),
  failures: added("failures"),
  tokens: added("tokens"),
  found: added("found"),
  scriptsOk: added("scripts_ok"),
  scriptsFailed: added("scripts_failed"),
  scriptsKilled: added("scripts_killed"),
  liked: added("liked"),
  disliked: added("disliked"),
  searches: added("searches"),
  searchesEmpty: added("searches_empty"),
};

const inCounts = USE_COUNTS.map((name) => `sum(asked.value ->> '${name}') AS ${name}`).join(", ");
const inSearches = USE_COUNTS.map((name) => `0 AS ${name}`).join(", ");
const totals = [...USE_COUNTS, ...OF_ALL].map((name) => `sum(${name})`).join(", ");

/** Statements that add a batch where `condition` holds. Drafts are left out of the sums. */
export function addInsights(db: Database, userId: string, batch: UseBatch, condition: SQL) {
  const { listings: lists, servers, searches, queries } = batch;
  const counts = JSON.stringify(batch.counts);
  const ofScopes = sql`SELECT ${skills.scope} AS scope, coalesce(asked.value ->> 'hour', asked.value ->> 'day') AS hour,
      ${sql.raw(inCounts)}, 0 AS searches, 0 AS searches_empty
    FROM json_each(${counts}) AS asked CROSS JOIN ${skills} ON ${skills.id} = asked.value ->> 'skill_id'
    WHERE ${skills.scope} NOT LIKE 'draft:%' AND ${condition} GROUP BY 1, 2`;
  const ofSearches = sql`SELECT ${ALL_SCOPES}, value ->> 'hour', ${sql.raw(inSearches)}, value ->> 'searches', value ->> 'empty'
    FROM json_each(${JSON.stringify(searches)}) WHERE ${condition}`;
  return [
    ...(batch.counts.length + searches.length === 0
      ? []
      : [
          db
            .insert(useHours)
            .select(
              sql`WITH counted AS (${ofScopes})
                SELECT scope, hour, ${sql.raw(totals)} FROM
                  (SELECT * FROM counted UNION ALL SELECT ${ALL_SCOPES}, hour, ${sql.raw([...USE_COUNTS, ...OF_ALL].join(", "))} FROM counted
                   UNION ALL ${ofSearches}) WHERE true GROUP BY scope, hour`,
            )
            .onConflictDoUpdate({ target: [useHours.scope, useHours.hour], set: ADDED }),
        ]),
    ...(lists.length === 0
      ? []
      : [
          db
            .insert(listings)
            .select(
              sql`SELECT NULL, value ->> 'day', value ->> 'skills', value ->> 'turns'
                FROM json_each(${JSON.stringify(lists)}) WHERE ${condition}`,
            )
            .onConflictDoUpdate({
              target: [listings.day, listings.skills],
              set: { turns: sql`${listings.turns} + excluded.turns` },
            }),
        ]),
    ...(queries.length === 0
      ? []
      : [
          db.insert(searchMisses).select(
            sql`SELECT NULL, ${userId}, value ->> 'at', value ->> 'query' FROM json_each(${JSON.stringify(queries)})
              WHERE ${condition} AND (SELECT count(*) FROM ${searchMisses} WHERE ${searchMisses.userId} = ${userId}) < ${MOST_QUERIES}`,
          ),
        ]),
    ...(servers.length === 0
      ? []
      : [
          addServices(
            db,
            "server",
            servers.map((one) => ({ ...one, tokens: 0, billedAs: null, usage: NO_USAGE })),
            condition,
          ),
        ]),
  ];
}

/** Stored queries of a user, above which further ones are dropped. */
const MOST_QUERIES = 500;

/** Deletes stored queries of before a time. */
export async function deleteOldSearches(db: Database, before: number): Promise<void> {
  await db.delete(searchMisses).where(lt(searchMisses.at, before));
}

/** Calls of a server or model on a day. */
export interface ServiceCalls {
  day: number;
  scope: string;
  name: string;
  calls: number;
  failures: number;
  tokens: number;
  /** The server and model that `usage` belongs to; `null`: none. */
  billedAs: string | null;
  /** The part of the tokens that was reported by kind, at standard prices. */
  usage: Usage;
}

const { billedAs } = serviceUse;

/** Statement that adds calls of servers or models where `condition` holds. */
export function addServices(
  db: Database,
  kind: "server" | "model",
  services: readonly ServiceCalls[],
  condition: SQL = sql`true`,
) {
  return db
    .insert(serviceUse)
    .select(
      sql`SELECT value ->> 'scope', ${kind}, value ->> 'name', value ->> 'day', value ->> 'calls', value ->> 'failures', value ->> 'tokens',
          value ->> 'billedAs', value ->> '$.usage.fresh', value ->> '$.usage.cache_read', value ->> '$.usage.cache_write',
          coalesce(value ->> '$.usage.long_write', 0), value ->> '$.usage.output'
        FROM json_each(${JSON.stringify(services)}) WHERE ${condition}`,
    )
    .onConflictDoUpdate({
      target: [serviceUse.scope, serviceUse.kind, serviceUse.name, serviceUse.day],
      set: {
        calls: sql.raw("calls + excluded.calls"),
        failures: sql.raw("failures + excluded.failures"),
        tokens: sql.raw("tokens + excluded.tokens"),
        // The tokens of a day with two servers or models are added, and have no price.
        billedAs: sql`CASE WHEN excluded.billed_as IS NULL THEN ${billedAs} WHEN ${billedAs} IS NULL THEN excluded.billed_as
          WHEN ${billedAs} = excluded.billed_as THEN ${billedAs} ELSE '' END`,
        fresh: sql.raw("fresh + excluded.fresh"),
        cacheRead: sql.raw("cache_read + excluded.cache_read"),
        cacheWrite: sql.raw("cache_write + excluded.cache_write"),
        longWrite: sql.raw("long_write + excluded.long_write"),
        output: sql.raw("output + excluded.output"),
      },
    });
}

/** Lists that one statement adds, which bounds its duration. */
const LISTS_AT_ONCE = 500;

/** Adds some of the waiting lists to the counts of their skills. Returns whether there may be more. */
export async function addListings(db: Database): Promise<boolean> {
  const last = sql`(SELECT max(seq) FROM (SELECT seq FROM listings ORDER BY seq LIMIT ${LISTS_AT_ONCE}))`;
  const zeros = sql.raw(["loads", "calls", "failures", "tokens", "votes"].map(() => "0").join(", "));
  const [, gone] = await db.batch([
    db
      .insert(skillUse)
      .select(
        sql`SELECT l.day, ${skills.id}, one.value ->> 1, ${zeros}, sum(l.turns), 0, 0, 0, 0, 0, 0
          FROM listings AS l CROSS JOIN json_each(l.skills) AS one CROSS JOIN ${skills} ON ${skills.id} = one.value ->> 0
          WHERE l.seq <= ${last} GROUP BY 1, 2, 3`,
      )
      .onConflictDoUpdate({
        target: [skillUse.skillId, skillUse.day, skillUse.versionId],
        set: { listed: sql.raw("listed + excluded.listed") },
      }),
    db.delete(listings).where(sql`${listings.seq} <= ${last}`).returning({ seq: listings.seq }),
  ]);
  return gone.length === LISTS_AT_ONCE;
}

const DAY_MS = 24 * 60 * 60_000;

/** Turns hours of before `day` into days. Hours that arrive later are added by the next run. */
export async function rollUpHours(db: Database, day: number): Promise<void> {
  const isHour = sql`${useHours.hour} % ${DAY_MS} <> 0`;
  // A week back is enough: earlier hours were rolled up by earlier runs, and later batches are dropped.
  const those = and(lt(useHours.hour, day), gte(useHours.hour, day - ROLLED_BACK), isHour);
  await db.batch([
    db
      .insert(useHours)
      .select(
        sql`SELECT scope, hour - hour % ${DAY_MS}, ${sql.raw(totals)} FROM ${useHours} WHERE ${those} GROUP BY 1, 2`,
      )
      .onConflictDoUpdate({ target: [useHours.scope, useHours.hour], set: ADDED }),
    db.delete(useHours).where(those),
  ]);
}

const ROLLED_BACK = 30 * DAY_MS;

/** Deletes figures of before a day. */
export async function deleteOldInsights(db: Database, day: number): Promise<void> {
  await db.batch([
    db.delete(useHours).where(lt(useHours.hour, day)),
    db.delete(serviceUse).where(lt(serviceUse.day, day)),
    db.delete(listings).where(lte(listings.day, day)),
  ]);
}
