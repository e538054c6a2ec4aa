// Warns of test cases that passed with the version before, after a publish or an activation.

import type { Skill } from "../../../sdk/src/generated/operations";
import { warn } from "../parts/toast";
import { t } from "../text/text";

/** Shows the warning of a published or activated skill, until the user closes it. Returns the skill. */
export function withWarning(skill: Skill): Skill {
  for (const { code, message } of skill.status.warnings)
    if (code === "EVALS_REGRESSED") warn(`${t("Test results are worse.")} ${message}`);
  return skill;
}
