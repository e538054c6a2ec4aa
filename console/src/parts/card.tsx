// A box with a heading.

import type { ReactNode } from "react";

export function Card({
  title,
  aside,
  children,
  isFlush = false,
}: {
  title: string;
  /** A short note or an action in the head. */
  aside?: ReactNode;
  children: ReactNode;
  /** The content touches the border, such as a table. */
  isFlush?: boolean;
}): ReactNode {
  return (
    <div className="card">
      <div className="head">
        <h2>{title}</h2>
        {aside !== undefined && <span className="aside">{aside}</span>}
      </div>
      {isFlush ? children : <div className="body">{children}</div>}
    </div>
  );
}
