// Shows a conversation as the gateway sees it, now and at earlier turns: skills, calls, questions, prompt, files, and cost.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { TurnFigures } from "../../../sdk/src/generated/operations";
import { type AnswerOf, call } from "../gateway/call";
import { Card } from "../parts/card";
import { Figure, Figures } from "../parts/figures";
import { Answer, Issues } from "../parts/state";
import { Table } from "../parts/table";
import { figure, Plain, visible } from "../parts/text";
import { t } from "../text/text";
import { Cost } from "./cost";
import { Feedback } from "./feedback";
import { Files } from "./files";
import { Lanes } from "./lanes";
import { EVERY_MS, type Live, seriesOf, statusOf } from "./live";
import { Prompt } from "./prompt";
import { Questions } from "./questions";
import { Active, Listed } from "./skills";
import { Trace } from "./trace";
import { Turns } from "./turns";

const STATUS: Record<Live["status"], string> = {
  idle: t("Not started"),
  connecting: t("Connecting…"),
  open: t("Live"),
  waiting: t("Connection lost. Reconnecting, and updating every 3 seconds"),
  closed: t("Updating every 3 seconds"),
};

/** `at` is the `seq` of the selected turn, or `null` for the current state. `answered` lists actions that the page answers by itself. */
export function View({
  id,
  live,
  at,
  onAt,
  answered,
}: {
  id: string;
  live: Live;
  at: number | null;
  onAt: (seq: number | null) => void;
  answered: readonly string[];
}): ReactNode {
  const isLive = live.status === "open";
  const status = useQuery(statusOf(id, isLive));
  const series = useQuery(seriesOf(id, isLive));
  const turns = series.data ?? [];
  const found = at === null ? -1 : turns.findIndex(({ seq }) => seq === at);
  const place = found === -1 || found === turns.length - 1 ? null : found;
  const point = place === null ? turns.at(-1) : turns[place];
  const isNow = place === null;
  const shown = useQuery({
    // A change of the conversation is a reason to read its current turn again.
    queryKey: isNow ? ["conversation", id, "turn", point?.seq] : ["turn", id, point?.seq],
    queryFn: ({ signal }) => call("conversations.at", { path: { id, turn: point?.turn ?? 0 } }, signal),
    enabled: point !== undefined,
    placeholderData: keepPreviousData,
    refetchInterval: isNow && !isLive ? EVERY_MS : false,
  });
  const { data, error, refetch } = isNow ? status : shown;
  const standing = { data, error, refetch };
  return (
    <>
      <p className="soft" role="status" data-status={live.status}>
        <span className={`dot ${isLive ? "live" : "away"}`} aria-hidden="true" /> {STATUS[live.status]}
        {live.closed !== null && ` (${visible(live.closed.reason) || live.closed.code})`}
      </p>
      <Questions pending={live.pending} answered={answered} answer={live.answer} />
      {status.data !== undefined && turns.length > 0 && <Saved turns={turns.length} {...status.data.tokens.billed} />}
      <Turns turns={turns} at={place} onAt={(next) => onAt(next === null ? null : (turns[next]?.seq ?? null))} />
      {point !== undefined && !point.restored && <Feedback id={id} turn={point.turn} />}
      {point !== undefined && (
        <Card title={t("Trace")} isFlush>
          <Answer of={shown} what={t("the trace")}>
            {({ turn, steps }) => (
              <Trace key={turn} turn={turn} began={beganOf(turns, turn, point)} steps={steps} seen={live.seen} />
            )}
          </Answer>
        </Card>
      )}
      <Card title={t("Active skills")}>
        <Answer of={standing} what={t("the skills")}>
          {({ active }) => <Active active={active} />}
        </Answer>
      </Card>
      <Card title={t("Prompt")}>
        <Prompt id={id} point={point} isNow={isNow} />
      </Card>
      <Card title={t("Files")}>
        <Files id={id} />
      </Card>
      <Card title={t("Tokens and cost")}>
        <Answer of={series} what={t("the turns")}>
          {(all) => <Cost turns={all} />}
        </Answer>
      </Card>
      {turns.length > 0 && (
        <Card title={t("Active skills by turn")}>
          <Lanes turns={turns} />
        </Card>
      )}
      {status.data !== undefined && <Servers {...status.data} />}
      {status.data !== undefined && <Issues issues={status.data.warnings} />}
      {/* Received later than the other data, so nothing may follow it. */}
      {live.skills !== null && <Listed {...live.skills} />}
    </>
  );
}

/** Returns the start of the turn whose trace is shown: the selected one, or an earlier selected one while that loads. */
const beganOf = (turns: readonly TurnFigures[], turn: number, point: TurnFigures): string =>
  turn === point.turn ? point.at : (turns.findLast((other) => other.turn === turn)?.at ?? point.at);

/** What the conversation cost until now, against pasting every skill. */
function Saved({
  turns,
  actual,
  paste,
  saved_percent: percent,
  estimated,
  price,
}: AnswerOf<"conversations.get">["tokens"]["billed"] & { turns: number }): ReactNode {
  return (
    <Figures>
      <Figure name={t("Tokens saved")}>
        <strong>{`${percent} %`}</strong>
        <small>{t("of {tokens} tokens with all skills pasted", { tokens: figure(paste) })}</small>
      </Figure>
      <Figure name={t("Billed tokens")}>
        <strong>{figure(actual)}</strong>
        <small title={visible(price)}>{estimated ? t("estimate") : t("as reported")}</small>
      </Figure>
      <Figure name={t("Turns")}>
        <strong>{figure(turns)}</strong>
        <small>{t("{tokens} tokens per turn", { tokens: figure(turns === 0 ? 0 : Math.round(actual / turns)) })}</small>
      </Figure>
    </Figures>
  );
}

function Servers({ mcp }: { mcp: readonly { server: string; state: string; tools: string[]; error?: string }[] }) {
  if (mcp.length === 0) return null;
  return (
    <Card title={t("MCP servers")} isFlush>
      <Table name={t("MCP servers")} heads={[t("Server"), t("State"), { num: t("Tools") }]}>
        {mcp.slice(0, 100).map(({ server, state, tools, error = "" }) => (
          <tr key={server}>
            <th scope="row">
              <Plain>{server}</Plain>
            </th>
            <td className="long">
              {state} <Plain>{error}</Plain>
            </td>
            <td className="num">{tools.length}</td>
          </tr>
        ))}
      </Table>
    </Card>
  );
}
