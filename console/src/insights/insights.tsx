// Shows usage over time, skills by success and cost, unused skills, searches without a result, and servers and models by errors.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { ChartColumn } from "lucide-react";
import type { ReactNode } from "react";
import { type AnswerOf, call } from "../gateway/call";
import { useMe } from "../gateway/session";
import { Card } from "../parts/card";
import { pointsByDay } from "../parts/days";
import { Figure, Figures } from "../parts/figures";
import { Lines } from "../parts/lines";
import { Page } from "../parts/page";
import { Periods } from "../parts/periods";
import { Answer, Empty, Later } from "../parts/state";
import { Table } from "../parts/table";
import { figure, money, Plain, shortDay, When } from "../parts/text";
import { share, USE_HEADS, UseCells } from "../parts/use-columns";
import { FORMATS } from "../text/language";
import { t } from "../text/text";
import { Failing } from "./failing";

const route = getRouteApi("/insights");
const DAY_MS = 24 * 60 * 60_000;
/** Rows of each table. The API has all of them. */
const ROWS = 10;
const PERIODS = [
  ["7", t("7 days")],
  ["30", t("30 days")],
  ["90", t("90 days")],
] as const;

type Overview = AnswerOf<"insights.overview">;

/** The days of a period that ends today, as the API takes them. */
function daysOf(days: number): { from: string; to: string } {
  const day = (at: number) => new Date(at).toISOString().slice(0, 10);
  return { from: day(Date.now() - (days - 1) * DAY_MS), to: day(Date.now()) };
}

export function Insights(): ReactNode {
  const { rights } = useMe();
  const { days: asked } = route.useSearch();
  const [period] = PERIODS.find(([days]) => days === asked) ?? PERIODS[1];
  const days = daysOf(Number(period));
  const overview = useQuery({
    queryKey: ["insights", "overview", days],
    queryFn: ({ signal }) => call("insights.overview", { query: days }, signal),
  });
  return (
    <Page
      title={t("Insights")}
      lead={t("Which skills are used, which fail, and what is missing. Updated hourly.")}
      actions={<Periods to="/insights" periods={PERIODS} chosen={period} />}
    >
      <Totals of={overview} />
      <Answer of={overview} what={t("the figures")}>
        {({ failing }) => failing.length > 0 && <Failing versions={failing} />}
      </Answer>
      <Card title={t("Usage over time")}>
        <Answer of={overview} what={t("the usage")}>
          {(found) => <Chart of={found} />}
        </Answer>
      </Card>
      <Card title={t("Skills by usage")} isFlush>
        <Skills days={days} />
      </Card>
      <div {...(rights.operate ? { className: "two" } : {})}>
        <Card title={t("Unused for 30 days")} isFlush>
          <Unused />
        </Card>
        {rights.operate && (
          <Card title={t("Searches without a result")} isFlush>
            <Searches days={days} />
          </Card>
        )}
      </div>
      <Card title={t("MCP servers by errors")} isFlush>
        <Services kind="server" days={days} />
      </Card>
      <Card title={t("Models by errors")} isFlush>
        <Services kind="model" days={days} />
      </Card>
    </Page>
  );
}

type Days = ReturnType<typeof daysOf>;

function Totals({ of }: { of: { data: Overview | undefined; error: Error | null } }): ReactNode {
  return (
    <Figures>
      <Figure name={t("Skill loads")}>
        <Later of={of}>
          {({ totals, before }) => (
            <>
              <strong>{figure(totals.loads)}</strong>
              <small>{t("{count} in the period before", { count: figure(before.loads) })}</small>
            </>
          )}
        </Later>
      </Figure>
      <Figure name={t("Failed tool calls")}>
        <Later of={of}>
          {({ totals }) => (
            <>
              <strong>{share(totals.failures, totals.calls)}</strong>
              <small>
                {t("{failures} of {calls} calls", { failures: figure(totals.failures), calls: figure(totals.calls) })}
              </small>
            </>
          )}
        </Later>
      </Figure>
      <Figure name={t("Scripts")}>
        <Later of={of}>
          {({ totals: { scripts_ok, scripts_failed, scripts_killed } }) => (
            <>
              <strong>{figure(scripts_ok + scripts_failed + scripts_killed)}</strong>
              <small>
                {t("{failed} failed, {killed} stopped", {
                  failed: figure(scripts_failed),
                  killed: figure(scripts_killed),
                })}
              </small>
            </>
          )}
        </Later>
      </Figure>
      <Figure name={t("Feedback")}>
        <Later of={of}>
          {({ totals: { liked, disliked } }) => (
            <>
              <strong>{share(liked, liked + disliked)}</strong>
              <small>{t("{good} good, {bad} bad", { good: figure(liked), bad: figure(disliked) })}</small>
            </>
          )}
        </Later>
      </Figure>
      <Figure name={t("Cost of models")}>
        <Later of={of}>
          {({ models, prices_of }) => (
            <>
              <strong>{cost(models)}</strong>
              <small>
                {models.tokens === 0
                  ? t("No model was called.")
                  : t("{share} of {tokens} tokens have a known price ({date})", {
                      share: share(models.priced_tokens, models.tokens),
                      tokens: figure(models.tokens),
                      date: wholeDay.format(new Date(prices_of)),
                    })}
              </small>
            </>
          )}
        </Later>
      </Figure>
    </Figures>
  );
}

interface Cost {
  tokens: number;
  priced_tokens: number;
  cost_usd: number | null;
}

/** The known cost. Tokens without a known price cost an unknown amount in addition. */
function cost({ tokens, priced_tokens, cost_usd }: Cost): string {
  if (cost_usd === null) return tokens === 0 ? money(0) : t("unknown");
  return priced_tokens < tokens ? `≥ ${money(cost_usd)}` : money(cost_usd);
}

const wholeDay = new Intl.DateTimeFormat(FORMATS, { dateStyle: "medium", timeZone: "UTC" });

function Chart({ of: { from, to, series } }: { of: Overview }): ReactNode {
  if (series.length === 0)
    return (
      <Empty icon={ChartColumn} title={t("No usage in this period")}>
        <p>{t("Usage appears up to one hour after a conversation uses a skill.")}</p>
      </Empty>
    );
  const count = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
  const points = pointsByDay(to, count, series, {
    dayOf: ({ at }) => at.slice(0, 10),
    values: (row) => [row?.loads ?? 0, row?.calls ?? 0, row?.failures ?? 0],
  });
  return (
    <Lines
      name={t("Usage over time")}
      step={t("Day")}
      series={[
        [t("Loads"), "main"],
        [t("Tool calls"), "good"],
        [t("Failures"), "bad"],
      ]}
      shown={shortDay}
      hasHeading
      points={points}
      file="insights.csv"
    />
  );
}

function Skills({ days }: { days: Days }): ReactNode {
  const answer = useQuery({
    queryKey: ["insights", "skills", days],
    queryFn: ({ signal }) => call("insights.skills", { query: { ...days, limit: ROWS } }, signal),
  });
  return (
    <Answer of={answer} what={t("the skills")}>
      {({ items }) =>
        items.length === 0 ? (
          <p className="body soft">{t("No skill was used in this period.")}</p>
        ) : (
          <Table
            name={t("Skills by usage")}
            heads={[t("Skill"), { num: t("Listed") }, { num: t("Found") }, ...USE_HEADS]}
          >
            {items.map((row) => (
              <tr key={row.skill_id}>
                <td className="name">
                  <Link to="/skills/$id" params={{ id: row.skill_id }} search={{ view: "use" }}>
                    <Plain>{row.skill_name}</Plain>
                  </Link>
                </td>
                <td className="num">{figure(row.listed)}</td>
                <td className="num">{figure(row.found)}</td>
                <UseCells of={row} />
              </tr>
            ))}
          </Table>
        )
      }
    </Answer>
  );
}

function Unused(): ReactNode {
  const answer = useQuery({
    queryKey: ["insights", "unused"],
    queryFn: ({ signal }) => call("insights.unused", { query: { limit: ROWS } }, signal),
  });
  return (
    <Answer of={answer} what={t("the skills")}>
      {({ items }) =>
        items.length === 0 ? (
          <p className="body soft">{t("No skill has been unused for 30 days.")}</p>
        ) : (
          <Table name={t("Unused for 30 days")} heads={[t("Skill"), t("Last used")]}>
            {items.map(({ skill_id, skill_name, last_used }) => (
              <tr key={skill_id}>
                <td className="name">
                  <Link to="/skills/$id" params={{ id: skill_id }}>
                    <Plain>{skill_name}</Plain>
                  </Link>
                </td>
                <td>{last_used ?? t("never")}</td>
              </tr>
            ))}
          </Table>
        )
      }
    </Answer>
  );
}

function Searches({ days }: { days: Days }): ReactNode {
  const answer = useQuery({
    queryKey: ["insights", "searches", days],
    queryFn: ({ signal }) => call("insights.searches", { query: { ...days, limit: ROWS } }, signal),
  });
  return (
    <Answer of={answer} what={t("the searches")}>
      {({ stored, items }) => {
        if (!stored) return <p className="body soft">{t("Searches are not stored. Set INSIGHT_QUERIES to on.")}</p>;
        if (items.length === 0) return <p className="body soft">{t("Every search found a skill.")}</p>;
        return (
          <Table name={t("Searches without a result")} heads={[t("Search"), { num: t("Times") }, t("Last")]} stacks>
            {items.map(({ query, count, last_at }) => (
              <tr key={query}>
                <td className="name">
                  <Plain>{query}</Plain>
                </td>
                <td className="num">{figure(count)}</td>
                <td>
                  <When at={last_at} />
                </td>
              </tr>
            ))}
          </Table>
        );
      }}
    </Answer>
  );
}

function Services({ kind, days }: { kind: "server" | "model"; days: Days }): ReactNode {
  const answer = useQuery({
    queryKey: ["insights", "services", kind, days],
    queryFn: ({ signal }) => call("insights.services", { query: { ...days, kind, limit: ROWS } }, signal),
  });
  const isModel = kind === "model";
  return (
    <Answer of={answer} what={isModel ? t("the models") : t("the servers")}>
      {({ items }) =>
        items.length === 0 ? (
          <p className="body soft">{isModel ? t("No model was called.") : t("No MCP server was called.")}</p>
        ) : (
          <Table
            name={isModel ? t("Models by errors") : t("MCP servers by errors")}
            heads={[
              isModel ? t("Model") : t("MCP server"),
              { num: t("Calls") },
              { num: t("Failed") },
              ...(isModel ? [{ num: t("Tokens") }, { num: t("Cost") }] : []),
            ]}
          >
            {items.map((row) => (
              <tr key={`${row.scope} ${row.name}`}>
                <td className="name">
                  <Plain>{row.name}</Plain>
                </td>
                <td className="num">{figure(row.calls)}</td>
                <td className="num">{share(row.failures, row.calls)}</td>
                {isModel && <td className="num">{figure(row.tokens)}</td>}
                {isModel && <td className="num">{cost(row)}</td>}
              </tr>
            ))}
          </Table>
        )
      }
    </Answer>
  );
}
