// The first page: figures of a period, what needs attention, the most used skills, and recent conversations.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { ChartColumn } from "lucide-react";
import type { ReactNode } from "react";
import { type AnswerOf, call, slice } from "../gateway/call";
import { useMe } from "../gateway/session";
import { Card } from "../parts/card";
import { pointsByDay } from "../parts/days";
import { Figure, Figures } from "../parts/figures";
import { Lines } from "../parts/lines";
import { Page } from "../parts/page";
import { Periods } from "../parts/periods";
import { Answer, Empty, Later } from "../parts/state";
import { Table } from "../parts/table";
import { compact, figure, Plain, shortDay, When } from "../parts/text";
import { canPublish } from "../shell/places";
import { t } from "../text/text";
import { Attention } from "./attention";
import { Checklist } from "./checklist";

const route = getRouteApi("/");
const DAY_MS = 24 * 60 * 60_000;
/** Conversations are counted up to this number, which is one page of the list. */
const COUNTED = 100;
const RECENT = 5;
const PERIODS = [
  ["1", t("Today")],
  ["7", t("7 days")],
  ["30", t("30 days")],
] as const;

type Usage = AnswerOf<"skills.usageOfAll">;
type Talk = AnswerOf<"conversations.list">["items"][number];

export function Overview(): ReactNode {
  const me = useMe();
  const { days: asked } = route.useSearch();
  const [period] = PERIODS.find(([days]) => days === asked) ?? PERIODS[1];
  const days = Number(period);
  const usage = useQuery({
    queryKey: ["usage", days],
    queryFn: ({ signal }) => call("skills.usageOfAll", { query: { days } }, signal),
  });
  const talks = useQuery({
    queryKey: ["conversations", "newest"],
    queryFn: async ({ signal }) => (await slice("conversations.list", { query: { limit: COUNTED } }, signal)).items,
  });
  return (
    <Page
      title={t("Overview")}
      actions={
        <>
          <Periods to="/" periods={PERIODS} chosen={period} />
          {me.tries && (
            <Link className="button plain" to="/try">
              {t("Playground")}
            </Link>
          )}
          {canPublish(me) && (
            <Link className="button main" to="/publish">
              {t("Publish a skill")}
            </Link>
          )}
        </>
      }
    >
      <Checklist />
      <Figures>
        <Conversations of={talks} days={days} />
        <Figure name={t("Skill loads")}>
          <Later of={usage}>{(found) => <Loads usage={found} />}</Later>
        </Figure>
        <Saved of={talks} days={days} />
        <Figure name={t("Failed tool calls")}>
          <Later of={usage}>{(found) => <Failures usage={found} />}</Later>
        </Figure>
      </Figures>
      <div className="two">
        <Card title={t("Skill loads per day")} aside={<span className="soft">{t("Updated hourly")}</span>}>
          <Answer of={usage} what={t("the usage")}>
            {(found) => <Chart usage={found} days={days} />}
          </Answer>
        </Card>
        <Attention usage={usage.data} />
      </div>
      <div className="two">
        <Card title={t("Top skills")} aside={<Link to="/skills">{t("All skills")}</Link>} isFlush>
          <Answer of={usage} what={t("the skills")}>
            {(found) => <Top usage={found} />}
          </Answer>
        </Card>
        <Card
          title={t("Recent conversations")}
          aside={<Link to="/conversations">{t("All conversations")}</Link>}
          isFlush
        >
          <Answer of={talks} what={t("the conversations")}>
            {(items) => <Recent items={items.slice(0, RECENT)} />}
          </Answer>
        </Card>
      </div>
    </Page>
  );
}

interface Talks {
  of: { data: readonly Talk[] | undefined; error: Error | null };
  days: number;
}

/** Returns the conversations of the period, which begins at midnight UTC, and whether there may be more. */
function within(items: readonly Talk[], days: number): { found: readonly Talk[]; isCut: boolean } {
  const since = Math.floor(Date.now() / DAY_MS) * DAY_MS - (days - 1) * DAY_MS;
  const found = items.filter(({ created_at }) => Date.parse(created_at) >= since);
  return { found, isCut: found.length === COUNTED };
}

const counted = (count: number, isCut: boolean) => `${figure(count)}${isCut ? "+" : ""}`;
const sum = (items: readonly Talk[], field: "turns" | "tokens" | "pasted_tokens") =>
  items.reduce((total, item) => total + (item[field] ?? 0), 0);

function Conversations({ of, days }: Talks): ReactNode {
  return (
    <Figure name={t("Your conversations")}>
      <Later of={of}>
        {(items) => {
          const { found, isCut } = within(items, days);
          return (
            <>
              <strong>{counted(found.length, isCut)}</strong>
              <small>{t("{count} turns", { count: counted(sum(found, "turns"), isCut) })}</small>
            </>
          );
        }}
      </Later>
    </Figure>
  );
}

function Saved({ of, days }: Talks): ReactNode {
  return (
    <Figure name={t("Your tokens saved")}>
      <Later of={of}>
        {(items) => {
          const { found, isCut } = within(items, days);
          // Conversations that have not reported both figures do not count.
          const reported = found.filter(({ pasted_tokens }) => (pasted_tokens ?? 0) > 0);
          const [billed, pasted] = [sum(reported, "tokens"), sum(reported, "pasted_tokens")];
          return (
            <>
              <strong>{pasted === 0 ? "–" : percent((pasted - billed) / pasted)}</strong>
              <small>
                {pasted === 0
                  ? t("no conversations")
                  : t("{billed} billed, {pasted} with all skills pasted", {
                      billed: compact(billed),
                      pasted: `${compact(pasted)}${isCut ? "+" : ""}`,
                    })}
              </small>
            </>
          );
        }}
      </Later>
    </Figure>
  );
}

function Loads({ usage: { totals, before, skills } }: { usage: Usage }): ReactNode {
  return (
    <>
      <strong>{figure(totals.loads)}</strong>
      <small>
        <Change now={totals.loads} then={before.loads} />{" "}
        {t(skills === 1 ? "{count} skill" : "{count} skills", { count: figure(skills) })}
      </small>
    </>
  );
}

/** The change against the period before, in percent. Nothing without a period to compare with. */
function Change({ now, then }: { now: number; then: number }): ReactNode {
  if (then === 0 || now === then) return null;
  const percent = Math.round((Math.abs(now - then) / then) * 100);
  return (
    <span>
      <span aria-hidden="true">{now > then ? "▲" : "▼"}</span>
      <span className="unseen">{now > then ? t("up") : t("down")}</span> {figure(percent)} % ·
    </span>
  );
}

const rateOf = ({ calls, failures }: { calls: number; failures: number }) => (calls === 0 ? 0 : failures / calls);
const percent = (rate: number) => `${(rate * 100).toFixed(1)} %`;

function Failures({ usage: { totals, before } }: { usage: Usage }): ReactNode {
  const [now, then] = [rateOf(totals), rateOf(before)];
  return (
    <>
      <strong>{totals.calls === 0 ? "–" : percent(now)}</strong>
      <small>
        {before.calls > 0 && totals.calls > 0 && now !== then && (
          <span className={now > then ? "down" : "up"}>
            {now > then ? "▲" : "▼"} {t("{count} points", { count: (Math.abs(now - then) * 100).toFixed(1) })} ·{" "}
          </span>
        )}
        {t("{failures} of {calls} calls", { failures: figure(totals.failures), calls: figure(totals.calls) })}
      </small>
    </>
  );
}

function Chart({ usage, days }: { usage: Usage; days: number }): ReactNode {
  if (usage.days.length === 0)
    return (
      <Empty icon={ChartColumn} title={t("No skill loads yet")}>
        <p>{t("Loads appear up to one hour after a conversation loads a skill.")}</p>
      </Empty>
    );
  const points = pointsByDay(usage.until, days, usage.days, {
    dayOf: ({ day }) => day,
    values: (row) => [row?.loads ?? 0, row?.calls ?? 0],
  });
  return (
    <Lines
      name={t("Loads and tool calls")}
      step={t("Day")}
      series={[
        [t("Loads"), "main"],
        [t("Tool calls"), "good"],
      ]}
      points={points}
      file="usage.csv"
      shown={shortDay}
      hasHeading
    />
  );
}

function Top({ usage: { top } }: { usage: Usage }): ReactNode {
  if (top.length === 0) return <p className="body soft">{t("No skill was loaded in this period.")}</p>;
  return (
    <Table
      name={t("Top skills")}
      heads={[t("Skill"), { num: t("Loads") }, { num: t("Tool calls") }, { num: t("Failed") }, { num: t("Tokens") }]}
    >
      {top.map(({ skill_id, skill_name, loads, calls, failures, tokens }) => (
        <tr key={skill_id}>
          <td className="name">
            <Link to="/skills/$id" params={{ id: skill_id }} search={{ view: "use" }}>
              <Plain>{skill_name}</Plain>
            </Link>
          </td>
          <td className="num">{figure(loads)}</td>
          <td className="num">{figure(calls)}</td>
          <td className="num">
            {calls === 0 ? (
              "–"
            ) : (
              <span className={failures / calls >= 0.1 ? "tag warn" : ""}>{percent(failures / calls)}</span>
            )}
          </td>
          <td className="num">{figure(tokens)}</td>
        </tr>
      ))}
    </Table>
  );
}

function Recent({ items }: { items: readonly Talk[] }): ReactNode {
  if (items.length === 0) return <p className="body soft">{t("No conversations yet.")}</p>;
  return (
    <ul className="list">
      {items.map(({ id, title, ghost, turns, created_at, last_turn_at }) => (
        <li key={id}>
          <div>
            <Link to="/conversations/$id" params={{ id }}>
              <Plain>{title ?? id}</Plain>
            </Link>
            <small>
              {ghost !== null && (
                <>
                  <Plain>{ghost}</Plain> ·{" "}
                </>
              )}
              {turns !== null && `${figure(turns)} ${turns === 1 ? "turn" : "turns"} · `}
              <When at={last_turn_at ?? created_at} />
            </small>
          </div>
        </li>
      ))}
    </ul>
  );
}
