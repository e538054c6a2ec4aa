// What the inspection of a package reads and reports.

import type { Issue, Severity } from "../errors";

/** A file of a package as text; `null` if it is not text. */
export interface InspectedFile {
  path: string;
  /** In bytes. */
  size: number;
  /** Read when the file is inspected. */
  readonly text: string | null;
}

export type Finding = Issue & { severity: Severity; path: string };

/** A match of a rule. */
export interface Match {
  /** Position in UTF-16 units. */
  at: number;
  message: string;
  /** Set if it is more severe than its rule. */
  severity?: Severity;
}

/** Returns the number of findings per severity. */
export function countFindings(warnings: readonly Issue[]): Record<Severity, number> {
  const counts = { high: 0, low: 0, info: 0 };
  for (const { severity } of warnings) if (severity !== undefined) counts[severity]++;
  return counts;
}

/** Returns a function that returns the line (from 1) of a position. Positions must ascend, so the text is read once. */
export function lineCounter(text: string): (at: number) => number {
  let line = 1;
  let next = text.indexOf("\n");
  return (at) => {
    for (; next >= 0 && next < at; next = text.indexOf("\n", next + 1)) line++;
    return line;
  };
}
