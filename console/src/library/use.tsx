// Shows the usage of a skill by day, as a chart and as a table.

import { useQuery } from "@tanstack/react-query";
import { ChartColumn } from "lucide-react";
import type { ReactNode } from "react";
import { call } from "../gateway/call";
import { Lines } from "../parts/lines";
import { Answer, Empty } from "../parts/state";
import { figure } from "../parts/text";

const DAYS = 30;

export default function Use({ id }: { id: string }): ReactNode {
  const answer = useQuery({
    queryKey: ["skill", id, "usage"],
    queryFn: ({ signal }) => call("skills.usage", { path: { id }, query: { days: DAYS } }, signal),
  });
  return (
    <Answer of={answer} what="the usage">
      {({ totals, days }) =>
        days.length === 0 ? (
          <Empty icon={ChartColumn} title="Not used in the last 30 days">
            <p>Usage appears up to one hour after a conversation loads the skill.</p>
          </Empty>
        ) : (
          <>
            <p>
              Last {DAYS} days: {figure(totals.loads)} loads, {figure(totals.calls)} tool calls (
              {figure(totals.failures)} failed), {figure(totals.tokens)} tokens.
            </p>
            <Lines
              step="Day"
              name="Usage per day"
              file="skill-use.csv"
              series={["Loads", "Calls", "Failures"]}
              points={days.toReversed().map(({ day, loads, calls, failures }) => [day, [loads, calls, failures]])}
            />
          </>
        )
      }
    </Answer>
  );
}
