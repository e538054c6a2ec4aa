// Reports the usage of skills to their owners.

import { may, visibleScopes } from "../../domain/access/access";
import { dayOf } from "../../domain/access/quota";
import { readScopesUse, readSkillUse } from "../../storage/d1/skill-use";
import type { Context } from "../context";
import { findSkillFor } from "./skills";

const DAY_MS = 24 * 60 * 60_000;

export interface SkillCounts {
  loads: number;
  calls: number;
  failures: number;
  tokens: number;
}

/**
 * Returns the counts of a skill for the last days, including today. Visible to the user for own skills, to Maintainers for a group's, and
 * to admins for public ones, because counts of a small group reveal who does what.
 */
export async function readSkillUsage(context: Context, id: string, days: number) {
  const skill = await findSkillFor(context, "measure", id);
  const until = dayOf(context.now());
  const since = until - (days - 1) * DAY_MS;
  const found = await readSkillUse(context.db, id, since);
  return { skill, since, until, totals: sumOf(found.days), ...found };
}

/**
 * Returns the counts of all skills whose usage the caller can see, for the last days, including today, and the sums of the same number of
 * days before.
 */
export async function readUsageOfAll(context: Context, { days, top }: { days: number; top: number }) {
  const { principal } = context.caller;
  const until = dayOf(context.now());
  const since = until - (days - 1) * DAY_MS;
  const scopes = visibleScopes(principal).filter((scope) => may(principal, "measure", scope));
  const { earlier, ...found } = await readScopesUse(context.db, scopes, { before: since - days * DAY_MS, since, top });
  return { since, until, totals: sumOf(found.days), before: earlier, ...found };
}

function sumOf(counts: readonly SkillCounts[]): SkillCounts {
  const totals: SkillCounts = { loads: 0, calls: 0, failures: 0, tokens: 0 };
  for (const { loads, calls, failures, tokens } of counts) {
    totals.loads += loads;
    totals.calls += calls;
    totals.failures += failures;
    totals.tokens += tokens;
  }
  return totals;
}
