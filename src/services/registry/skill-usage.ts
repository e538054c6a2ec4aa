// How much a skill is used, for who answers for it.

import { dayOf } from "../../domain/access/quota";
import { readSkillUse } from "../../storage/d1/skill-use";
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
 * The counts of a skill for the last days, today among them. One's own skills are one's own to look at, a group's its Maintainers',
 * public ones the admins': the counts of a small group say who does what.
 */
export async function readSkillUsage(context: Context, id: string, days: number) {
  const skill = await findSkillFor(context, "measure", id);
  const until = dayOf(context.now());
  const since = until - (days - 1) * DAY_MS;
  const found = await readSkillUse(context.db, id, since);
  const totals: SkillCounts = { loads: 0, calls: 0, failures: 0, tokens: 0 };
  for (const { loads, calls, failures, tokens } of found.days) {
    totals.loads += loads;
    totals.calls += calls;
    totals.failures += failures;
    totals.tokens += tokens;
  }
  return { skill, since, until, totals, ...found };
}
