// A table of many rows of the same height, in a region that scrolls. Only the visible rows are rendered.

import { memo, type ReactNode, useState } from "react";
import type { Head } from "./table";

/** The height of a row, as `parts.css` sets it, in pixels. */
const HEIGHT = 57;
/** The number of rows that are rendered above and below the visible ones, and how far one has to scroll until others are. */
const [AROUND, STEP] = [5, 5];

/**
 * `cells` returns the cells of a row. It must be the same function in each render, so that only new rows are rendered. Use a `key` that
 * changes with the order of the rows, so that the region starts at its top.
 */
export function VirtualTable<Row>({
  name,
  heads,
  rows,
  keyOf,
  cells,
}: {
  name: string;
  heads: readonly Head[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  cells: (row: Row) => ReactNode;
}): ReactNode {
  const [{ top, height }, setVisible] = useState(() => ({ top: 0, height: innerHeight }));
  const count = Math.ceil(height / HEIGHT) + STEP + 2 * AROUND;
  const from = Math.max(0, Math.min(top - AROUND, rows.length - count));
  const to = Math.min(rows.length, from + count);
  return (
    <section
      className="scrolls virtual"
      aria-label={name}
      // Focusable, so that the arrow keys scroll.
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, clientHeight } }) => {
        const first = Math.floor(scrollTop / HEIGHT / STEP) * STEP;
        setVisible((before) =>
          before.top === first && before.height === clientHeight ? before : { top: first, height: clientHeight },
        );
      }}
    >
      <table aria-rowcount={rows.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            {heads.map((head) => {
              const text = typeof head === "string" ? head : head.num;
              return (
                <th key={text} scope="col" className={typeof head === "string" ? "" : "num"}>
                  {text}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          <Space rows={from} columns={heads.length} />
          {rows.slice(from, to).map((row, n) => (
            <Shown key={keyOf(row)} row={row} index={from + n + 2} cells={cells} />
          ))}
          <Space rows={rows.length - to} columns={heads.length} />
        </tbody>
      </table>
    </section>
  );
}

interface ShownRow<Row> {
  row: Row;
  index: number;
  cells: (row: Row) => ReactNode;
}

const Shown = memo(function Shown<Row>({ row, index, cells }: ShownRow<Row>): ReactNode {
  return <tr aria-rowindex={index}>{cells(row)}</tr>;
}) as <Row>(props: ShownRow<Row>) => ReactNode;

/** Takes the space of rows that are not rendered. */
function Space({ rows, columns }: { rows: number; columns: number }): ReactNode {
  return rows === 0 ? null : (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: the row has no content and cannot be focused
    <tr aria-hidden="true" style={{ height: rows * HEIGHT }}>
      <td colSpan={columns} />
    </tr>
  );
}
