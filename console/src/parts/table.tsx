// A table that scrolls sideways on small screens.

import type { ReactNode } from "react";

/** `name` describes the content of the table to screen readers. */
export function Table({
  name,
  heads,
  children,
}: {
  name: string;
  heads: readonly string[];
  children: ReactNode;
}): ReactNode {
  return (
    // Focusable, so that the arrow keys reach what does not fit.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard
    <section className="scrolls" aria-label={name} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}
