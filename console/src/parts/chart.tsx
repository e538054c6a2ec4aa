// Shows bars by day: a chart, the same data as an accessible table, and as CSV.

import type { ReactNode } from "react";
import { csvAddress } from "./csv";
import { Table } from "./table";
import { figure } from "./text";

const [WIDTH, HEIGHT] = [600, 160];

/** A point on the axis with one number per series. */
export type Point = readonly [label: string, values: readonly number[]];

export function Chart({
  name,
  file,
  series,
  points,
}: {
  name: string;
  /** File name of the CSV. */
  file: string;
  series: readonly string[];
  points: readonly Point[];
}): ReactNode {
  const most = Math.max(1, ...points.flatMap(([, values]) => values));
  const step = WIDTH / points.length;
  const bar = (step * 0.8) / series.length;
  return (
    <figure>
      <figcaption>
        {name} (maximum {figure(most)})
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} className="chart" aria-hidden="true">
        {points.map(([label, values], at) =>
          values.map((value, which) => (
            <rect
              key={`${label} ${series[which]}`}
              className={`series-${which}`}
              x={at * step + step * 0.1 + which * bar}
              width={bar}
              y={HEIGHT - (value / most) * HEIGHT}
              height={(value / most) * HEIGHT}
            />
          )),
        )}
      </svg>
      <p className="row tight">
        {series.map((one, which) => (
          <span key={one}>
            <span className={`dot series-${which}`} aria-hidden="true" /> {one}
          </span>
        ))}
        <a
          download={file}
          href={csvAddress([["day", ...series], ...points.map(([label, values]) => [label, ...values])])}
        >
          Download CSV
        </a>
      </p>
      <Table name={name} heads={["Day", ...series.map((num) => ({ num }))]}>
        {points.map(([label, values]) => (
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
    </figure>
  );
}
