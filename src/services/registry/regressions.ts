// Warns of test cases that passed with the version before.

import { type Regressions, regressedCases, regressionWarning } from "../../domain/insights/evals";
import type { EvalComparison } from "../../storage/d1/registry/evals";
import type { SkillRecord } from "../../storage/d1/skills";

/** Returns the cases that fail now; `null` if there are none, or nothing to compare with. */
export function regressionsIn(comparison: EvalComparison): Regressions | null {
  if (comparison === undefined) return null;
  const { versionId, label, before, now } = comparison;
  const names = regressedCases(before, now);
  return names.length === 0 ? null : { before: { versionId, label }, names };
}

/** Adds the warning to a skill that was published or activated. */
export function withRegressions(skill: SkillRecord, comparison: EvalComparison): SkillRecord {
  const found = regressionsIn(comparison);
  return found === null ? skill : { ...skill, warnings: [...skill.warnings, regressionWarning(found)] };
}
