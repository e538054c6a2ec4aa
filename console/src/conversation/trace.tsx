// Shows the trace of a turn as a waterfall: what ran when, for how long, with how many tokens, and why a call failed.

import { type ReactNode, useState } from "react";
import type { ToolCall } from "../../../sdk/src/client/types";
import type { TraceStep } from "../../../sdk/src/generated/operations";
import { Table } from "../parts/table";
import { figure, Plain, visible } from "../parts/text";
import { t } from "../text/text";

const STATES: Partial<Record<TraceStep["state"], { text: string; look: string }>> = {
  running: { text: t("running"), look: "accent" },
  failed: { text: t("failed"), look: "bad" },
  cancelled: { text: t("cancelled"), look: "warn" },
};

/** `seen` has the arguments and results of calls, as far as the page has received them. */
export function Trace({
  turn,
  began,
  steps,
  seen,
}: {
  turn: number;
  began: string;
  steps: readonly TraceStep[];
  seen: readonly ToolCall[];
}): ReactNode {
  const from = Date.parse(began);
  const to = Math.max(from + 1, ...steps.map(({ at, ms }) => Date.parse(at) + (ms ?? 0)));
  const details = new Map(
    seen.filter((call) => call.turn === turn).map((call) => [`${call.name} ${Date.parse(call.started_at)}`, call]),
  );
  if (steps.length === 0) return <p className="soft none">{t("No recorded steps in this turn.")}</p>;
  return (
    <div className="trace">
      <Table
        name={t("Trace of turn {turn}", { turn })}
        heads={[t("Step"), t("Time"), { num: t("Tokens") }, { num: t("Duration") }]}
        stacks={false}
      >
        <tr>
          <th scope="row">{t("Turn {turn}", { turn })}</th>
          <td>
            <Bar look="whole" start={0} share={1} />
          </td>
          <td className="num">{tokensIn(steps)}</td>
          <td className="num">{time(to - from)}</td>
        </tr>
        {steps.map((step, n) => (
          <Row
            // Two steps can be the same in every word.
            // biome-ignore lint/suspicious/noArrayIndexKey: steps are only added at the end
            key={n}
            step={step}
            start={(Date.parse(step.at) - from) / (to - from)}
            share={(step.ms ?? to - Date.parse(step.at)) / (to - from)}
            call={details.get(`${step.name} ${Date.parse(step.at)}`)}
          />
        ))}
      </Table>
    </div>
  );
}

function Row({
  step,
  start,
  share,
  call,
}: {
  step: TraceStep;
  start: number;
  share: number;
  call: ToolCall | undefined;
}): ReactNode {
  const [isOpen, open] = useState(false);
  const { kind, ms, state, tokens, error } = step;
  const mark = STATES[state];
  return (
    <>
      <tr className="step">
        <th scope="row">
          {call === undefined ? (
            <Name step={step} />
          ) : (
            <button type="button" className="text" aria-expanded={isOpen} onClick={() => open(!isOpen)}>
              <Name step={step} />
            </button>
          )}
          {mark !== undefined && <span className={`tag ${mark.look}`}>{mark.text}</span>}
          {error !== null && (
            <p className="why">
              <Plain>{error}</Plain>
            </p>
          )}
        </th>
        <td>
          {(ms !== null || state === "running") && (
            <Bar look={state === "failed" ? "failed" : kind} start={start} share={share} />
          )}
        </td>
        <td className="num">{tokens === null ? "–" : figure(tokens)}</td>
        <td className="num">{ms === null ? "–" : time(ms)}</td>
      </tr>
      {isOpen && call !== undefined && (
        <tr className="detail">
          <td colSpan={4}>
            <Told
              what={t("Arguments")}
              text={call.arguments === undefined ? null : JSON.stringify(call.arguments, null, 2)}
            />
            <Told what={t("Result")} text={call.output ?? null} />
          </td>
        </tr>
      )}
      {call?.state === "running" && call.progress?.message !== undefined && (
        <tr className="detail">
          <td colSpan={4} className="soft">
            <Plain>{call.progress.message}</Plain>
          </td>
        </tr>
      )}
    </>
  );
}

/** The name of a step. The time of a model whose name is unknown includes the program that calls it. */
function Name({ step: { kind, name, skill } }: { step: TraceStep }): ReactNode {
  if (kind === "model")
    return name === null ? (
      t("Model and client")
    ) : (
      <>
        {t("Model")} · <Plain>{name}</Plain>
      </>
    );
  return (
    <>
      {kind === "question" && <>{t("Question")} · </>}
      <Plain>{name ?? ""}</Plain>
      {skill !== null && (
        <span className="of">
          {" · "}
          <Plain>{skill}</Plain>
        </span>
      )}
    </>
  );
}

function Bar({ look, start, share }: { look: string; start: number; share: number }): ReactNode {
  const percent = (part: number) => `${Math.round(Math.min(1, Math.max(0, part)) * 1_000) / 10}%`;
  return (
    <div className="bar" aria-hidden="true">
      <i data-look={look} style={{ insetInlineStart: percent(start), width: percent(share) }} />
    </div>
  );
}

function Told({ what, text }: { what: string; text: string | null }): ReactNode {
  return (
    <>
      <p className="soft">{what}</p>
      {text === null ? (
        <p className="soft">{t("Not shown, because the text is long or contains the instructions of a skill.")}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard
        <pre tabIndex={0}>{visible(text)}</pre>
      )}
    </>
  );
}

function tokensIn(steps: readonly TraceStep[]): string {
  const known = steps.filter(({ kind, tokens }) => kind === "model" && tokens !== null);
  return known.length === 0 ? "–" : figure(known.reduce((sum, { tokens }) => sum + (tokens ?? 0), 0));
}

const time = (ms: number): string => (ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(2)} s`);
