// The choice whether a published version becomes the current one.

import type { ReactNode } from "react";
import { Check } from "../parts/controls";
import { t } from "../text/text";

/** Returns the field of the request. */
export function activation(becomesCurrent: boolean): { activate?: "false" } {
  return becomesCurrent ? {} : { activate: "false" };
}

export function Current({
  isSelected,
  onChange,
}: {
  isSelected: boolean;
  onChange: (isSelected: boolean) => void;
}): ReactNode {
  return (
    <>
      <Check isSelected={isSelected} onChange={onChange}>
        {t("Make it the current version")}
      </Check>
      {!isSelected && (
        <p className="soft">
          {t(
            "Conversations keep the current version until you activate or roll out the new one. The first version of a skill is always current.",
          )}
        </p>
      )}
    </>
  );
}
