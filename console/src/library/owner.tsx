// Shows the owner of a skill.

import type { ReactNode } from "react";
import { Plain } from "../parts/text";
import { t } from "../text/text";

export function Owner({ namespace, isPublic }: { namespace: string; isPublic: boolean }): ReactNode {
  if (isPublic) return <span className="tag">{t("public")}</span>;
  return namespace === "default" ? (
    <span className="tag accent">{t("mine")}</span>
  ) : (
    <span className="tag">
      <Plain>{namespace}</Plain>
    </span>
  );
}
