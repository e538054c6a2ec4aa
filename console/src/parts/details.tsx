// A section that is closed at first. Its content is rendered while it is open, because it can have many rows.

import { type ReactNode, useState } from "react";

export function Details({ summary, children }: { summary: string; children: () => ReactNode }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && children()}
    </details>
  );
}
