// A table of many rows of the same height, in a region that scrolls. Only the visible rows are rendered.

import { type ReactNode, useState } from "react";
import type { Head } from "./table";

/** The height of a row, as `parts.css` sets it, in pixels. */
const HEIGHT = 57;
/** The number of rows that are rendered at once, and how far one has to scroll until others are. */
const RENDERED = 50;
const STEP = 10;

/** `children` returns the cells of a row. Use a `key` that changes with the order of the rows, so that the region starts at its top. */
export function VirtualTable<Row>({
  name,
  heads,
  rows,
  keyOf,
  children,
}: {
  name: string;
  heads: readonly Head[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  children: (row: Row) => ReactNode;
}): ReactNode {
  const [first, setFirst] = useState(0);
  const from = Math.max(0, Math.min(first, rows.length - RENDERED));
  const to = Math.min(rows.length, from + RENDERED);
  return (
    <section
      className="scrolls virtual"
      aria-label={name}
      // Focusable, so that the arrow keys scroll.
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard
      tabIndex={0}
      onScroll={({ currentTarget }) => {
        const above = Math.floor(currentTarget.scrollTop / HEIGHT) - (RENDERED - 30) / 2;
        setFirst(Math.max(0, Math.floor(above / STEP) * STEP));
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
            <tr key={keyOf(row)} aria-rowindex={from + n + 2}>
              {children(row)}
            </tr>
          ))}
          <Space rows={rows.length - to} columns={heads.length} />
        </tbody>
      </table>
    </section>
  );
}

/** Takes the space of rows that are not rendered. */
function Space({ rows, columns }: { rows: number; columns: number }): ReactNode {
  return rows === 0 ? null : (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: the row has no content and cannot be focused
    <tr aria-hidden="true" style={{ height: rows * HEIGHT }}>
      <td colSpan={columns} />
    </tr>
  );
}
