// Shows the state of a submission.

import type { ReactNode } from "react";
import type { Review } from "../../../sdk/src/generated/operations";
import { t } from "../text/text";

const STATES: Record<Review["state"], readonly [look: string, text: string]> = {
  pending: ["accent", t("pending")],
  changes_requested: ["warn", t("changes requested")],
  approved: ["good", t("approved")],
  rejected: ["bad", t("rejected")],
  withdrawn: ["", t("withdrawn")],
};

export function State({ of }: { of: Review["state"] }): ReactNode {
  const [look, text] = STATES[of];
  return <span className={`tag ${look}`}>{text}</span>;
}
