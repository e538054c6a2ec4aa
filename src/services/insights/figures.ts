// Reports figures of skills, MCP servers and models to the users who manage them.

import * as z from "zod";
import {
  DEFAULT_NAMESPACE,
  GATEWAY_SCOPE,
  groupScope,
  isAdmin,
  may,
  PUBLIC_SCOPE,
  userScope,
  visibleScopes,
} from "../../domain/access/access";
import { type BilledTokens, costOf } from "../../domain/chat/list-prices";
import { NO_USAGE, sumOfUsage } from "../../domain/conversation/usage";
import { decodeCursor, pageOf } from "../../domain/cursor";
import { type AskedPeriod, type Interval, intervalMs, periodOf } from "../../domain/insights/period";
import {
  type FigureScopes,
  readOverview,
  readSearchMisses,
  readServices,
  readSkillFigures,
  readUnusedSkills,
  readVersionFigures,
  type SkillSort,
} from "../../storage/d1/insights/read";
import { readSkillHead } from "../../storage/d1/skills";
import { requireAdmin } from "../admin";
import type { Context } from "../context";
import { requireRight, scopeNamed, skillNotFound } from "../registry/skills";

const DAY_MS = 24 * 60 * 60_000;

/** A page of a list. */
interface AskedPage {
  limit: number;
  cursor?: string | undefined;
}

/**
 * Returns the scopes whose figures the caller can see: all for admins, otherwise the user's own and those of groups that the user maintains.
 *
 * @param group a namespace that limits them: a group's name, `default` or `public`
 * @throws if the caller cannot see the figures of the namespace
 */
export function figureScopes(context: Context, group: string | undefined): FigureScopes {
  const { principal } = context.caller;
  if (group === undefined) {
    if (isAdmin(principal)) return "all";
    return visibleScopes(principal).filter((scope) => may(principal, "measure", scope));
  }
  if (group === DEFAULT_NAMESPACE) return [userScope(principal.userId)];
  if (isAdmin(principal)) return [group === PUBLIC_SCOPE ? PUBLIC_SCOPE : groupScope(group)];
  const scope = group === PUBLIC_SCOPE ? PUBLIC_SCOPE : scopeNamed(principal, group);
  requireRight(principal, "measure", scope);
  return [scope];
}

const zeros = {
  ...{ loads: 0, calls: 0, failures: 0, tokens: 0, found: 0, scripts_ok: 0, scripts_failed: 0, scripts_killed: 0 },
  ...{ liked: 0, disliked: 0, searches: 0, searches_empty: 0 },
};
/** Figures of a scope. */
export type ScopeFigures = typeof zeros;

/** Returns the sums of a period by interval, and those of the same time before. */
export async function overviewFigures(context: Context, asked: AskedPeriod & { group?: string | undefined }) {
  const scopes = figureScopes(context, asked.group);
  const { interval = "day" }: { interval?: Interval | undefined } = asked;
  const period = periodOf(asked, context.now());
  const read = await readOverview(context.db, scopes, ownersOf(scopes), period, intervalMs(interval));
  const { series, before, models } = read;
  const totals = { ...zeros };
  for (const { at: _, ...figures } of series)
    for (const name of Object.keys(zeros) as (keyof ScopeFigures)[]) totals[name] += figures[name];
  return { ...period, interval, totals, before: before ?? zeros, series, models: withCost(models ?? NO_SERVICE) };
}

const NO_SERVICE: ServiceFigures = { calls: 0, failures: 0, tokens: 0, billed: [] };

/** Figures of servers or models, and their tokens by what they are billed as. */
interface ServiceFigures {
  calls: number;
  failures: number;
  tokens: number;
  billed: BilledTokens[];
}

/** Adds the tokens by kind, and their cost if it is known. */
function withCost<T extends ServiceFigures>({ billed, ...figures }: T) {
  const { fresh, cache_read, cache_write, output } = billed.map(({ usage }) => usage).reduce(sumOfUsage, NO_USAGE);
  return { ...figures, fresh, cache_read, cache_write, output, ...costOf(billed) };
}

/** Servers and models that everybody uses belong to the gateway. */
function ownersOf(scopes: FigureScopes): FigureScopes {
  return scopes === "all" ? scopes : scopes.map((scope) => (scope === PUBLIC_SCOPE ? GATEWAY_SCOPE : scope));
}

const skillCursor = z.object({ value: z.number(), seq: z.int() });
const unusedCursor = z.object({ seq: z.int() });

/** Returns a page of the skills that were used in a period, most first. */
export async function skillFigures(
  context: Context,
  asked: AskedPeriod & AskedPage & { group?: string | undefined; sort: SkillSort },
) {
  const { sort, limit } = asked;
  const after = decodeCursor(asked.cursor, skillCursor);
  const period = periodOf(asked, context.now());
  const scopes = figureScopes(context, asked.group);
  const rows = await readSkillFigures(context.db, scopes, period, { sort, limit: limit + 1, after });
  const { page, nextCursor } = pageOf(rows, limit, (row) => ({ value: row[sort], seq: row.seq }));
  return { ...period, page, nextCursor };
}

/** Returns a page of the skills that no conversation has used for some days, oldest first. */
export async function unusedSkills(
  context: Context,
  { days, limit, cursor, group }: AskedPage & { days: number; group?: string | undefined },
) {
  const after = decodeCursor(cursor, unusedCursor)?.seq ?? 0;
  const since = periodOf({}, context.now()).to - days * DAY_MS;
  const rows = await readUnusedSkills(context.db, figureScopes(context, group), since, { limit: limit + 1, after });
  return pageOf(rows, limit, ({ seq }) => ({ seq }));
}

const versionCursor = z.object({ createdAt: z.number(), id: z.string() });

/** Returns a page of the versions of a skill with their figures, newest first. Skills that the caller cannot measure are reported as not found. */
export async function versionFigures(context: Context, asked: AskedPeriod & AskedPage & { skill_id: string }) {
  const { limit, skill_id } = asked;
  const { principal } = context.caller;
  const after = decodeCursor(asked.cursor, versionCursor);
  const period = periodOf(asked, context.now());
  const skill = await readSkillHead(context.db, skill_id);
  if (skill === null || !(isAdmin(principal) || may(principal, "measure", skill.scope))) throw skillNotFound();
  const rows = await readVersionFigures(context.db, skill_id, period, { limit: limit + 1, after });
  const keyOf = ({ created_at: createdAt, version_id: id }: (typeof rows)[number]) => ({ createdAt, id });
  const { page, nextCursor } = pageOf(rows, limit, keyOf);
  return { ...period, skill, page, nextCursor };
}

const skipCursor = z.object({ skip: z.int().min(0).max(100_000) });

/** Returns a page of the MCP servers or models that were called in a period, the most failures first. */
export async function serviceFigures(
  context: Context,
  asked: AskedPeriod & AskedPage & { group?: string | undefined; kind: "server" | "model" },
) {
  const { limit, kind } = asked;
  const skip = decodeCursor(asked.cursor, skipCursor)?.skip ?? 0;
  const period = periodOf(asked, context.now());
  const owners = ownersOf(figureScopes(context, asked.group));
  const rows = await readServices(context.db, kind, owners, period, { limit: limit + 1, skip });
  const { page, nextCursor } = pageOf(rows, limit, () => ({ skip: skip + limit }));
  return { ...period, page: page.map(withCost), nextCursor };
}

/** Returns a page of searches without a result, the most frequent first. Only for admins, because a query belongs to no skill. */
export async function searchFigures(context: Context, asked: AskedPeriod & AskedPage) {
  requireAdmin(context.caller.principal, "Only admins can see searches. Use an admin's key.");
  const { limit } = asked;
  const skip = decodeCursor(asked.cursor, skipCursor)?.skip ?? 0;
  const period = periodOf(asked, context.now());
  const rows = await readSearchMisses(context.db, period, { limit: limit + 1, skip });
  const { page, nextCursor } = pageOf(rows, limit, () => ({ skip: skip + limit }));
  return { ...period, page, nextCursor, isStored: context.settings.INSIGHT_QUERIES === "on" };
}
