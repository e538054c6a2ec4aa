// Shows lines over steps, such as days or the turns of a conversation: a chart, the same data as an accessible table, and as CSV.

import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { t } from "../text/text";
import { csvAddress } from "./csv";
import { Details } from "./details";
import { Table } from "./table";
import { compact, figure } from "./text";

const HEIGHT = 190;
/** The space for the labels of the axes, in pixels. */
const [LEFT, RIGHT, TOP, BOTTOM] = [44, 12, 8, 24];
/** The least distance between two labels of the horizontal axis, in pixels. */
const LABEL = 84;
/** With more steps, points have no circle. */
const CIRCLES = 60;
/** The number of steps in the table, newest first. The CSV contains all. */
const ROWS = 100;

/** A line: `main` has its area filled, `bad` and `soft` are dashed. */
export type Series = readonly [name: string, tone: "main" | "good" | "bad" | "soft"];

/** A point on the axis with one number per series. */
export type Point = readonly [label: string, values: readonly number[]];

export function Lines({
  name,
  step,
  series,
  points,
  file,
  shown = (label) => label,
  hasHeading = false,
}: {
  name: string;
  /** The label of a step, such as `Turn`. */
  step: string;
  series: readonly Series[];
  points: readonly Point[];
  /** Returns the text of a label on the axis. The table and the CSV contain the label itself. */
  shown?: (label: string) => string;
  /** Whether a heading next to the chart says what it shows. The name is then for screen readers only. */
  hasHeading?: boolean;
  /** File name of the CSV. */
  file: string;
}): ReactNode {
  const [place, width] = useWidth();
  const csv = useMemo(
    () => csvAddress([[step, ...series.map(([one]) => one)], ...points.map(([label, values]) => [label, ...values])]),
    [step, series, points],
  );
  const ticks = useMemo(() => ticksFor(Math.max(1, ...points.flatMap(([, values]) => values))), [points]);
  const most = ticks.at(-1) ?? 1;
  const x = (at: number) =>
    points.length < 2 ? (LEFT + width - RIGHT) / 2 : LEFT + (at / (points.length - 1)) * (width - LEFT - RIGHT);
  const y = (value: number) => HEIGHT - BOTTOM - (value / most) * (HEIGHT - TOP - BOTTOM);
  // A line needs no more points than pixels.
  const apart = Math.max(1, Math.ceil(points.length / width));
  const drawn = everyNth(points.length, apart);
  const every = Math.max(1, Math.ceil((points.length * LABEL) / (width - LEFT)));
  const labelled = everyNth(points.length, every);
  const corners = (which: number) => drawn.map((at) => `${x(at)},${y(points[at]?.[1][which] ?? 0)}`).join(" ");
  return (
    <figure ref={place} className="lines">
      <figcaption className={hasHeading ? "unseen" : ""}>{name}</figcaption>
      <div>
        <svg viewBox={`0 0 ${width} ${HEIGHT}`} width={width} height={HEIGHT} aria-hidden="true">
          {ticks.map((tick) => (
            <g key={tick} className="tick">
              <path d={`M${LEFT} ${y(tick)}H${width - RIGHT}`} />
              <text x={LEFT - 8} y={y(tick)} className="end">
                {compact(tick)}
              </text>
            </g>
          ))}
          {labelled.map((at) => (
            <text key={at} className={`tick ${sideOf(at, points.length)}`} x={x(at)} y={HEIGHT - 8}>
              {shown(points[at]?.[0] ?? "")}
            </text>
          ))}
          {series.map(([one, tone], which) => (
            <g key={one} className={`line-${tone}`}>
              {tone === "main" && drawn.length > 1 && (
                <path d={`M${x(drawn[0] ?? 0)} ${y(0)}L${corners(which)}L${x(drawn.at(-1) ?? 0)} ${y(0)}Z`} />
              )}
              <polyline points={corners(which)} />
              {points.length < CIRCLES &&
                points.map(([label, values], at) => (
                  <circle key={label} cx={x(at)} cy={y(values[which] ?? 0)} r={2.5} />
                ))}
            </g>
          ))}
        </svg>
      </div>
      <p className="row tight">
        {series.map(([one, tone]) => (
          <span key={one}>
            <svg viewBox="0 0 24 8" className="key" aria-hidden="true">
              <g className={`line-${tone}`}>
                <polyline points="0,4 24,4" />
              </g>
            </svg>{" "}
            {one}
          </span>
        ))}
        <a download={file} href={csv}>
          {t("Download CSV")}
        </a>
      </p>
      <Details summary={t("Table")}>
        {() => (
          <Table name={name} heads={[step, ...series.map(([num]) => ({ num }))]}>
            {points.slice(-ROWS).map(([label, values]) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                {values.map((value, which) => (
                  <td key={series[which]?.[0]} className="num">
                    {figure(value)}
                  </td>
                ))}
              </tr>
            ))}
          </Table>
        )}
      </Details>
    </figure>
  );
}

/** Returns every nth index below `count`, and always the last one. */
const everyNth = (count: number, nth: number): readonly number[] =>
  Array.from({ length: Math.ceil(count / nth) }, (_, n) => count - 1 - n * nth).reverse();

/** Returns the width of the content of an element in pixels, also after the window changes. */
function useWidth(): [place: React.RefObject<HTMLElement | null>, width: number] {
  const place = useRef<HTMLElement>(null);
  const [width, setWidth] = useState(600);
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const observer = new ResizeObserver(([entry]) => {
      // Before the page is shown, the element has no width.
      const now = Math.floor(entry?.contentRect.width ?? 0);
      if (now > 0) setWidth(Math.max(200, now));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [place, width];
}

/** Returns up to six round numbers from 0 to at least the largest value. */
function ticksFor(most: number): number[] {
  const power = 10 ** Math.floor(Math.log10(most / 4));
  const step = Math.max(1, [1, 2, 5, 10].map((factor) => factor * power).find((size) => size * 4 >= most) ?? most);
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, n) => n * step);
}

const sideOf = (at: number, count: number): string =>
  count < 2 ? "" : at === 0 ? "start" : at === count - 1 ? "end" : "";
