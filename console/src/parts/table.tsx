// A table that scrolls sideways on small screens.

import type { ReactNode } from "react";
import { t } from "../text/text";

/** The heading of a column. An empty one is that of the actions. `num` marks a column of numbers. */
export type Head = string | { num: string };

/** `name` describes the content of the table to screen readers. */
export function Table({
  name,
  heads,
  children,
}: {
  name: string;
  heads: readonly Head[];
  children: ReactNode;
}): ReactNode {
  return (
    // Focusable, so that the arrow keys reach what does not fit.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard
    <section className="scrolls" aria-label={name} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {heads.map((head) => {
              const text = typeof head === "string" ? head : head.num;
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
