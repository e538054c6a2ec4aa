// A row of figures, each in a box with its name.

import type { ReactNode } from "react";

export function Figures({ children }: { children: ReactNode }): ReactNode {
  return <div className="figures">{children}</div>;
}

/** `children`: the value in `strong`, and an explanation in `small`. */
export function Figure({ name, children }: { name: string; children: ReactNode }): ReactNode {
  return (
    <section className="card figure" aria-label={name}>
      <h2>{name}</h2>
      {children}
    </section>
  );
}
