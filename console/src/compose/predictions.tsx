// Shows how often skills were predicted in conversations with an agent, and what that would have saved.

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { call } from "../gateway/call";
import { Card } from "../parts/card";
import { Facts } from "../parts/facts";
import { Answer } from "../parts/state";
import { figure } from "../parts/text";
import { t } from "../text/text";

const DAYS = 30;

export function Predictions({ id }: { id: string }): ReactNode {
  const answer = useQuery({
    queryKey: ["ghost", id, "predictions"],
    queryFn: ({ signal }) => call("ghosts.predictions", { path: { id }, query: { days: DAYS } }, signal),
  });
  return (
    <Card title={t("Predictive loading")} aside={t("Last {days} days", { days: DAYS })}>
      <Answer of={answer} what={t("the predictions")}>
        {({ totals }) =>
          totals.messages === 0 ? (
            <p className="soft">
              {t("Predictions appear up to one hour after a conversation with this agent sends a message.")}
            </p>
          ) : (
            <Facts
              of={[
                [t("Messages"), figure(totals.messages)],
                [t("Predictions"), figure(totals.predicted)],
                [t("Appended"), figure(totals.appended)],
                [t("Precision"), percent(totals.precision)],
                [t("Coverage"), percent(totals.coverage)],
                [t("Possible savings (tokens)"), figure(totals.saved)],
                [t("Possible losses (tokens)"), figure(totals.lost)],
                [t("Possible time saved"), t("{seconds} s", { seconds: (totals.saved_ms / 1_000).toFixed(1) })],
              ]}
            />
          )
        }
      </Answer>
    </Card>
  );
}

/** `null`: nothing was compared. */
function percent(part: number | null): string {
  return part === null ? t("not measured") : `${(part * 100).toFixed(1)} %`;
}
