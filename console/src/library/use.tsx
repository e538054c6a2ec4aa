// Shows the usage of a skill by day, as a chart and as a table.

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { call } from "../gateway/call";
import { Chart } from "../parts/chart";
import { Answer, Empty } from "../parts/state";
import { figure } from "../parts/text";

const DAYS = 30;

export default function Use({ id }: { id: string }): ReactNode {
  const answer = useQuery({
    queryKey: ["skill", id, "usage"],
    queryFn: ({ signal }) => call("skills.usage", { path: { id }, query: { days: DAYS } }, signal),
  });
  return (
    <Answer of={answer} what="its use">
      {({ totals, days }) =>
        days.length === 0 ? (
          <Empty title="Nobody has used it in the last 30 days">
            <p>Conversations tell what they have used once an hour.</p>
          </Empty>
        ) : (
          <>
            <p>
              In {DAYS} days: loaded {figure(totals.loads)} times, {figure(totals.calls)} calls of its tools,{" "}
              {figure(totals.failures)} of them failed, {figure(totals.tokens)} tokens.
            </p>
            <Chart
              name="Loads a day"
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
