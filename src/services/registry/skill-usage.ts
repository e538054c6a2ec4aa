// Reports the usage of a skill to its owners.

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
 * Returns the counts of a skill for the last days, including today. Visible to the user for own skills, to Maintainers for a group's, and
 * to admins for public ones, because counts of a small group reveal who does what.
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
