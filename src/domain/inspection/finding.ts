// What the inspection of a package looks at, and what it finds.

import type { Issue, Severity } from "../errors";

/** A file of a package as text; `null` for one that is none. */
export interface InspectedFile {
  path: string;
  /** In bytes. */
  size: number;
  /** Asked for when the file's turn comes. */
  readonly text: string | null;
}

export type Finding = Issue & { severity: Severity; path: string };

/** What a rule finds in a text. */
export interface Match {
  /** Where in the text, in code units. */
  at: number;
  message: string;
  /** Where one match weighs more than its rule. */
  severity?: Severity;
}

/** How many findings there are of each severity. */
export function countFindings(warnings: readonly Issue[]): Record<Severity, number> {
  const counts = { high: 0, low: 0, info: 0 };
  for (const { severity } of warnings) if (severity !== undefined) counts[severity]++;
  return counts;
}
