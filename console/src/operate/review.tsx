// The page of skills that wait for a review. The gateway has no reviews yet.

import { ClipboardCheck } from "lucide-react";
import type { ReactNode } from "react";
import { Page } from "../parts/page";
import { Empty } from "../parts/state";
import { t } from "../text/text";

export function Review(): ReactNode {
  return (
    <Page title={t("Review")}>
      <Empty icon={ClipboardCheck} title={t("Nothing to review")}>
        <p>{t("Skills that users submit for review appear here.")}</p>
      </Empty>
    </Page>
  );
}
