// Shows the usage of a skill by day, as a chart and as a table.

import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ChartColumn } from "lucide-react";
import type { ReactNode } from "react";
import { type AnswerOf, call } from "../gateway/call";
import { Lines } from "../parts/lines";
import { Answer, Empty } from "../parts/state";
import { figure, shortDay } from "../parts/text";
import { t } from "../text/text";
import { Evals } from "./evals";
import { Rollout } from "./rollout";
import { VersionFigures } from "./version-figures";

const DAYS = 30;

export default function Use({ id, name, mayActivate }: { id: string; name: string; mayActivate: boolean }): ReactNode {
  const answer = useQuery({
    queryKey: ["skill", id, "usage"],
    queryFn: ({ signal }) => call("skills.usage", { path: { id }, query: { days: DAYS } }, signal),
  });
  return (
    <>
      <Days answer={answer} name={name} />
      <Rollout id={id} mayActivate={mayActivate} />
      <VersionFigures id={id} />
      <Evals id={id} />
    </>
  );
}

type Usage = AnswerOf<"skills.usage">;

function Days({ answer, name }: { answer: UseQueryResult<Usage>; name: string }): ReactNode {
  return (
    <Answer of={answer} what={t("the usage")}>
      {({ totals, days }) =>
        days.length === 0 ? (
          <Empty icon={ChartColumn} title={t("Not used in the last 30 days")}>
            <p>{t("Usage appears up to one hour after a conversation loads the skill.")}</p>
          </Empty>
        ) : (
          <>
            <p>
              {t("Last {days} days: {loads} loads, {calls} tool calls ({failures} failed), {tokens} tokens.", {
                days: DAYS,
                loads: figure(totals.loads),
                calls: figure(totals.calls),
                failures: figure(totals.failures),
                tokens: figure(totals.tokens),
              })}
            </p>
            <p>
              <Link to="/conversations" search={{ skill: name }}>
                {t("Your conversations with this skill")}
              </Link>
            </p>
            <Lines
              step={t("Day")}
              name={t("Usage per day")}
              file="skill-use.csv"
              series={[
                [t("Loads"), "main"],
                [t("Tool calls"), "good"],
                [t("Failures"), "bad"],
              ]}
              points={days.toReversed().map(({ day, loads, calls, failures }) => [day, [loads, calls, failures]])}
              shown={shortDay}
            />
          </>
        )
      }
    </Answer>
  );
}
