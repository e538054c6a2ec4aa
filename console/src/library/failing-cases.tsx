// The list of failing test cases with their reasons.

import type { ReactNode } from "react";
import { Plain } from "../parts/text";
import { t } from "../text/text";

/** @param passedBefore names of the cases that passed with the version before */
export function FailingCases({
  of: cases,
  passedBefore = [],
}: {
  of: readonly { name: string; reason?: string }[];
  passedBefore?: readonly string[];
}): ReactNode {
  return (
    <ul className="issues">
      {cases.map(({ name, reason }) => (
        <li key={name}>
          <Plain>{name}</Plain> {passedBefore.includes(name) && <span className="tag bad">{t("passed before")}</span>}
          {reason !== undefined && (
            <div className="soft">
              <Plain>{reason}</Plain>
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}
