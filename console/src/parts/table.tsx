// A table. On a phone, the cells of a row are below each other if the table has many columns; other tables scroll sideways.

import type { CSSProperties, ReactNode } from "react";
import { t } from "../text/text";

/** The heading of a column. An empty one is that of the actions. `num` marks a column of numbers. */
export type Head = string | { num: string };

/** With more columns, a row does not fit on a phone. */
const BESIDE = 3;

const textOf = (head: Head): string => (typeof head === "string" ? head : head.num);

/** The headings as CSS texts, which label the cells where they are below each other. */
const labels = (heads: readonly Head[]): CSSProperties =>
  Object.fromEntries(heads.map((head, n) => [`--head-${n + 1}`, JSON.stringify(textOf(head))]));

/** `name` describes the content of the table to screen readers. `stacks`: whether a phone shows the cells of a row below each other. */
export function Table({
  name,
  heads,
  stacks = heads.length > BESIDE,
  children,
}: {
  name: string;
  heads: readonly Head[];
  stacks?: boolean;
  children: ReactNode;
}): ReactNode {
  return (
    // Focusable, so that the arrow keys reach what does not fit.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard
    <section className="scrolls" aria-label={name} tabIndex={0}>
      <table {...(stacks ? { className: "stacked", style: labels(heads) } : {})}>
        <thead>
          <tr>
            {heads.map((head) => {
              const text = textOf(head);
              return (
                <th key={text} scope="col" className={typeof head === "string" ? "" : "num"}>
                  {text === "" ? <span className="unseen">{t("Actions")}</span> : text}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}
