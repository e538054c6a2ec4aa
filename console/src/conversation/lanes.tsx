// Shows the active skills by turn: when each was loaded, active and removed.

import { memo, type ReactNode } from "react";
import type { TurnFigures } from "../../../sdk/src/generated/operations";
import { csvAddress } from "../parts/csv";
import { Details } from "../parts/details";
import { Table } from "../parts/table";
import { Plain, visible } from "../parts/text";
import { t } from "../text/text";
import { namesOf } from "./turns";

type State = "loaded" | "active" | "leaving";
const NAMES: Record<State, string> = { loaded: t("loaded"), active: t("active"), leaving: t("last turn") };
/** The number of turns (newest first) and of skills in the drawing and the table. The CSV contains all. */
const TURNS = 100;
const SKILLS = 40;
const [LEFT, STEP, ROW] = [160, 16, 22];

/** Rendered only when the turns change, and not with each selected one. */
export const Lanes = memo(function Lanes({ turns }: { turns: readonly TurnFigures[] }): ReactNode {
  const titles = namesOf(turns);
  const names = [...new Set(turns.flatMap(({ active, loaded }) => [...active, ...loaded]))];
  if (names.length === 0) return <p className="soft">{t("No active skills yet.")}</p>;
  const states = names.map((name) => turns.map((_, at) => stateOf(turns, at, name)));
  const from = Math.max(0, turns.length - TURNS);
  const drawn = turns.slice(from);
  const width = LEFT + Math.max(drawn.length, 12) * STEP;
  return (
    <figure className="lanes">
      <figcaption className="unseen">{t("Active skills by turn")}</figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard */}
      <section className="scrolls" aria-label={t("Lanes")} tabIndex={0}>
        <svg width={width} height={Math.min(names.length, SKILLS) * ROW + 4} aria-hidden="true">
          {names.slice(0, SKILLS).map((name, lane) => (
            <g key={name} transform={`translate(0 ${lane * ROW + 2})`}>
              <text x={4} y={15}>
                {visible(name).slice(0, 20)}
              </text>
              {drawn.map(({ seq }, at) => {
                const state = states[lane]?.[from + at];
                return state === undefined ? null : (
                  <rect key={seq} className={`lane-${state}`} x={LEFT + at * STEP} y={2} width={STEP - 2} height={16} />
                );
              })}
            </g>
          ))}
        </svg>
      </section>
      <p className="row tight">
        {Object.entries(NAMES).map(([state, name]) => (
          <span key={state}>
            <svg viewBox="0 0 12 12" className="key" aria-hidden="true">
              <rect className={`lane-${state}`} width={12} height={12} />
            </svg>{" "}
            {name}
          </span>
        ))}
        <a
          download="skills-by-turn.csv"
          href={csvAddress([
            ["Turn", ...names],
            ...turns.map((_, at) => [titles[at] ?? "", ...names.map((_, lane) => states[lane]?.[at] ?? "")]),
          ])}
        >
          {t("Download CSV")}
        </a>
      </p>
      <Details summary={t("Table")}>
        {() => (
          <Table name={t("Skills by turn")} heads={[t("Turn"), t("Active skills")]}>
            {drawn.map(({ seq }, at) => (
              <tr key={seq}>
                <th scope="row">{titles[from + at]}</th>
                <td>
                  {names.map((name, lane) => {
                    const state = states[lane]?.[from + at];
                    return state === undefined ? null : (
                      <span key={name} className="tag">
                        <Plain>{name}</Plain>: {NAMES[state]}
                      </span>
                    );
                  })}
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Details>
    </figure>
  );
});

function stateOf(turns: readonly TurnFigures[], at: number, name: string): State | undefined {
  const point = turns[at];
  if (point === undefined) return undefined;
  if (point.loaded.includes(name)) return "loaded";
  if (!point.active.includes(name)) return undefined;
  const next = turns[at + 1];
  if (!turns[at - 1]?.active.includes(name)) return "loaded";
  return next !== undefined && !next.active.includes(name) ? "leaving" : "active";
}
