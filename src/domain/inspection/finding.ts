// Types of the inspection of a package.

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
