// Shows lines over steps, such as the turns of a conversation: a chart, the same data as an accessible table, and as CSV.

import type { ReactNode } from "react";
import type { Point } from "./chart";
import { csvAddress } from "./csv";
import { Table } from "./table";
import { figure } from "./text";

const [WIDTH, HEIGHT] = [600, 160];
/** The number of steps in the table, newest first. The CSV contains all. */
const ROWS = 100;

export function Lines({
  name,
  step,
  series,
  points,
  file,
}: {
  name: string;
  /** The label of a step, such as `Turn`. */
  step: string;
  series: readonly string[];
  points: readonly Point[];
  /** File name of the CSV. */
  file: string;
}): ReactNode {
  const most = Math.max(1, ...points.flatMap(([, values]) => values));
  const x = (at: number) => (points.length < 2 ? WIDTH / 2 : (at / (points.length - 1)) * (WIDTH - 8) + 4);
  const y = (value: number) => HEIGHT - 4 - (value / most) * (HEIGHT - 8);
  return (
    <figure className="lines">
      <figcaption>
        {name} (maximum {figure(most)})
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} className="chart" aria-hidden="true">
        {series.map((one, which) => (
          <g key={one} className={`line-${which}`}>
            <polyline points={points.map(([, values], at) => `${x(at)},${y(values[which] ?? 0)}`).join(" ")} />
            {points.length < 60 &&
              points.map(([label, values], at) => (
                <circle key={label} cx={x(at)} cy={y(values[which] ?? 0)} r={3.5 - which / 2} />
              ))}
          </g>
        ))}
      </svg>
      <p className="row tight">
        {series.map((one, which) => (
          <span key={one}>
            <svg viewBox="0 0 24 8" className="key" aria-hidden="true">
              <g className={`line-${which}`}>
                <polyline points="0,4 24,4" />
              </g>
            </svg>{" "}
            {one}
          </span>
        ))}
        <a
          download={file}
          href={csvAddress([[step, ...series], ...points.map(([label, values]) => [label, ...values])])}
        >
          Download CSV
        </a>
      </p>
      <details>
        <summary>Table</summary>
        <Table name={name} heads={[step, ...series.map((num) => ({ num }))]}>
          {points.slice(-ROWS).map(([label, values]) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              {values.map((value, which) => (
                <td key={series[which]} className="num">
                  {figure(value)}
                </td>
              ))}
            </tr>
          ))}
        </Table>
      </details>
    </figure>
  );
}
