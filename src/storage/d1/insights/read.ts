// Reads the figures of skills, scopes, MCP servers and models in a period.

import { and, desc, eq, gt, gte, isNotNull, lt, or, type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { BilledTokens } from "../../../domain/chat/list-prices";
import type { Database } from "../database";
import { skills, versions } from "../schema/registry";
import { searchMisses, serviceUse, skillUse, useHours } from "../schema/skill-use";
import { ALL_SCOPES } from "./add";

/** From the first to before the last time, in milliseconds since the epoch. */
export interface Period {
  from: number;
  to: number;
}

/** Whose figures: of these scopes, or of all. */
export type FigureScopes = readonly string[] | "all";

const total = (column: SQL | (typeof skillUse)["loads"], name: string) =>
  sql<number>`coalesce(sum(${column}), 0)`.as(name);

const hourSums = {
  loads: total(sql`${useHours.loads}`, "loads"),
  calls: total(sql`${useHours.calls}`, "calls"),
  failures: total(sql`${useHours.failures}`, "failures"),
  tokens: total(sql`${useHours.tokens}`, "tokens"),
  found: total(sql`${useHours.found}`, "found"),
  scripts_ok: total(sql`${useHours.scriptsOk}`, "scripts_ok"),
  scripts_failed: total(sql`${useHours.scriptsFailed}`, "scripts_failed"),
  scripts_killed: total(sql`${useHours.scriptsKilled}`, "scripts_killed"),
  liked: total(sql`${useHours.liked}`, "liked"),
  disliked: total(sql`${useHours.disliked}`, "disliked"),
  searches: total(sql`${useHours.searches}`, "searches"),
  searches_empty: total(sql`${useHours.searchesEmpty}`, "searches_empty"),
};

const skillSums = {
  loads: total(sql`${skillUse.loads}`, "loads"),
  calls: total(sql`${skillUse.calls}`, "calls"),
  failures: total(sql`${skillUse.failures}`, "failures"),
  tokens: total(sql`${skillUse.tokens}`, "tokens"),
  listed: total(sql`${skillUse.listed}`, "listed"),
  found: total(sql`${skillUse.found}`, "found"),
  scripts_ok: total(sql`${skillUse.scriptsOk}`, "scripts_ok"),
  scripts_failed: total(sql`${skillUse.scriptsFailed}`, "scripts_failed"),
  scripts_killed: total(sql`${skillUse.scriptsKilled}`, "scripts_killed"),
  liked: total(sql`${skillUse.liked}`, "liked"),
  disliked: total(sql`${skillUse.disliked}`, "disliked"),
};

const scopesIn = (scopes: readonly string[]) => sql`(SELECT value FROM json_each(${JSON.stringify(scopes)}))`;

/**
 * Returns the sums of a period by interval, oldest first, those of the same time before, and those of models. Intervals without use are
 * left out.
 *
 * @param owners the scopes of the models
 */
export async function readOverview(
  db: Database,
  scopes: FigureScopes,
  owners: FigureScopes,
  { from, to }: Period,
  intervalMs: number,
) {
  const rows = scopes === "all" ? [ALL_SCOPES] : scopes;
  const during = (start: number, end: number) =>
    and(sql`${useHours.scope} IN ${scopesIn(rows)}`, gte(useHours.hour, start), lt(useHours.hour, end));
  const at = sql<number>`${useHours.hour} - ${useHours.hour} % ${intervalMs}`.as("at");
  const [series, [before], [models]] = await db.batch([
    db
      .select({ at, ...hourSums })
      .from(useHours)
      .where(during(from, to))
      .groupBy(sql`1`)
      .orderBy(sql`1`),
    db
      .select(hourSums)
      .from(useHours)
      .where(during(from - (to - from), from)),
    db.select(serviceSums).from(servicesBy([], "model", owners, { from, to })),
  ]);
  return { series, before: before ?? null, models };
}

/** Columns by which skills are ordered, most first. */
export const SKILL_SORTS = ["loads", "calls", "failures", "tokens", "listed", "found", "disliked"] as const;
export type SkillSort = (typeof SKILL_SORTS)[number];

/** The last skill of a page. */
export interface LastSkill {
  value: number;
  seq: number;
}

/** Returns the figures of the skills that were used in a period, most first. */
export function readSkillFigures(
  db: Database,
  scopes: FigureScopes,
  { from, to }: Period,
  { sort, limit, after }: { sort: SkillSort; limit: number; after: LastSkill | null },
) {
  const facts = { seq: skills.seq, skill_id: skills.id, skill_name: skills.name, scope: skills.scope };
  const inPeriod = and(gte(skillUse.day, from), lt(skillUse.day, to));
  // In HAVING and ORDER BY, the name would mean the column and not the sum.
  const summed = sql`sum(${skillUse[sort]})`;
  const later =
    after === null
      ? undefined
      : sql`(${summed} < ${after.value} OR (${summed} = ${after.value} AND ${skills.seq} > ${after.seq}))`;
  const ofScopes =
    scopes === "all" ? sql`${skills.scope} NOT LIKE 'draft:%'` : sql`${skills.scope} IN ${scopesIn(scopes)}`;
  // In this order: each skill's rows are next to each other in the key of its usage. Only one column is summed for all skills.
  const page = db
    .select(facts)
    .from(skills)
    .crossJoin(skillUse)
    .where(and(ofScopes, eq(skillUse.skillId, skills.id), inPeriod))
    .groupBy(skills.seq)
    .having(later)
    .orderBy(desc(summed), skills.seq)
    .limit(limit)
    .as("page");
  return db
    .select({ seq: page.seq, skill_id: page.skill_id, skill_name: page.skill_name, scope: page.scope, ...skillSums })
    .from(page)
    .crossJoin(skillUse)
    .where(and(eq(skillUse.skillId, page.skill_id), inPeriod))
    .groupBy(page.seq)
    .orderBy(desc(summed), page.seq);
}

/** Returns skills that no conversation has used since a time and that existed before, in the order in which they were made. */
export function readUnusedSkills(
  db: Database,
  scopes: FigureScopes,
  since: number,
  { limit, after }: { limit: number; after: number },
) {
  const isUse = sql`(u.loads > 0 OR u.calls > 0)`;
  const lastUsed = sql<number | null>`(SELECT u.day FROM ${skillUse} AS u WHERE u.skill_id = skills.id AND ${isUse}
    ORDER BY u.day DESC LIMIT 1)`.as("last_used");
  const ofScopes =
    scopes === "all" ? sql`${skills.scope} NOT LIKE 'draft:%'` : sql`${skills.scope} IN ${scopesIn(scopes)}`;
  return db
    .select({
      ...{ seq: skills.seq, skill_id: skills.id, skill_name: skills.name, scope: skills.scope },
      ...{ created_at: skills.createdAt, last_used: lastUsed },
    })
    .from(skills)
    .where(
      and(
        ofScopes,
        gt(skills.seq, after),
        lt(skills.createdAt, since),
        sql`NOT EXISTS (SELECT 1 FROM ${skillUse} AS u WHERE u.skill_id = ${skills.id} AND u.day >= ${since} AND ${isUse})`,
      ),
    )
    .orderBy(skills.seq)
    .limit(limit);
}

/** Returns the figures of the versions of a skill, the newest first, also of versions without use. */
export function readVersionFigures(
  db: Database,
  skillId: string,
  { from, to }: Period,
  { limit, after }: { limit: number; after: { createdAt: number; id: string } | null },
) {
  const older =
    after === null
      ? undefined
      : or(
          lt(versions.createdAt, after.createdAt),
          and(eq(versions.createdAt, after.createdAt), lt(versions.id, after.id)),
        );
  return db
    .select({
      version_id: sql<string>`${versions.id}`.as("figure_version"),
      version: versions.label,
      created_at: versions.createdAt,
      is_yanked: sql<number>`${isNotNull(versions.yankedAt)}`.mapWith(Boolean).as("is_yanked"),
      ...skillSums,
    })
    .from(versions)
    .leftJoin(
      skillUse,
      and(
        eq(skillUse.skillId, versions.skillId),
        eq(skillUse.versionId, versions.id),
        gte(skillUse.day, from),
        lt(skillUse.day, to),
      ),
    )
    .where(and(eq(versions.skillId, skillId), older))
    .groupBy(versions.createdAt, versions.id)
    .orderBy(desc(versions.createdAt), desc(versions.id))
    .limit(limit);
}

/** The tokens of a model at one server, as JSON: `[[billed_as, fresh, cache_read, cache_write, long_write, output], …]`. */
const billedRow = z.tuple([z.string().nullable(), z.int(), z.int(), z.int(), z.int(), z.int()]);

function billedTokens(text: string): BilledTokens[] {
  const rows = z.array(billedRow).parse(JSON.parse(text));
  return rows.map(([billed_as, fresh, cache_read, cache_write, long_write, output]) => ({
    billed_as,
    usage: { fresh, cache_read, cache_write, long_write, output },
  }));
}

/** Sums of services by these columns and by what their tokens are billed as. */
function servicesBy(
  columns: readonly string[],
  kind: "server" | "model",
  scopes: FigureScopes,
  { from, to }: Period,
): SQL {
  const { scope, day } = serviceUse;
  const inPeriod = and(eq(serviceUse.kind, kind), gte(day, from), lt(day, to));
  const ofScopes = scopes === "all" ? undefined : sql`${scope} IN ${scopesIn(scopes)}`;
  const by = sql.raw([...columns, "billed_as"].join(", "));
  return sql`(SELECT ${by}, sum(calls) AS calls, sum(failures) AS failures, sum(tokens) AS tokens, sum(fresh) AS fresh,
    sum(cache_read) AS cache_read, sum(cache_write) AS cache_write, sum(long_write) AS long_write, sum(output) AS output
    FROM ${serviceUse} WHERE ${and(inPeriod, ofScopes)} GROUP BY ${by})`;
}

const serviceSums = {
  calls: total(sql`calls`, "all_calls"),
  failures: total(sql`failures`, "all_failures"),
  tokens: total(sql`tokens`, "all_tokens"),
  billed: sql`json_group_array(json_array(billed_as, fresh, cache_read, cache_write, long_write, output))`
    .mapWith(billedTokens)
    .as("billed"),
};

/** Returns the calls of MCP servers or models in a period, the most failures first. */
export function readServices(
  db: Database,
  kind: "server" | "model",
  scopes: FigureScopes,
  period: Period,
  { limit, skip }: { limit: number; skip: number },
) {
  const [scope, name] = [sql<string>`scope`, sql<string>`name`];
  return db
    .select({ scope: scope.as("of_scope"), name: name.as("of_name"), ...serviceSums })
    .from(servicesBy(["scope", "name"], kind, scopes, period))
    .groupBy(scope, name)
    .orderBy(desc(serviceSums.failures), desc(serviceSums.calls), scope, name)
    .limit(limit)
    .offset(skip);
}

/** Returns searches without a result in a period, the most frequent first. Equal queries differ in case only. */
export function readSearchMisses(db: Database, { from, to }: Period, { limit, skip }: { limit: number; skip: number }) {
  const { at, query } = searchMisses;
  const count = sql<number>`count(*)`.as("count");
  return db
    .select({ query: sql<string>`min(${query})`.as("query"), count, last: sql<number>`max(${at})`.as("last") })
    .from(searchMisses)
    .where(and(gte(at, from), lt(at, to)))
    .groupBy(sql`lower(${query})`)
    .orderBy(desc(count), sql`lower(${query})`)
    .limit(limit)
    .offset(skip);
}
