// What a reviewer would want to be told of a package before anybody trusts it: hidden text, commands that fetch and run code,
// encoded payloads, credentials, files that are named and missing. Findings are warnings; they never say that a skill is safe.

import type { Issue, Severity } from "./errors";
import { type Match, RULES } from "./inspection-rule";
import { INSPECTION_LIMITS } from "./limits";
import { missingReferences } from "./missing-file";

/** A file of a package as text; `null` for one that is none. */
export interface InspectedFile {
  path: string;
  text: string | null;
}

export type Finding = Issue & { severity: Severity; path: string };

/**
 * Looks at every text file. Time is linear in the text, and the number of findings bounded: `INSPECTION_MORE` says how many more
 * there are. Never quotes a secret beyond its first characters.
 */
export function inspect(files: readonly InspectedFile[]): Finding[] {
  const findings: Finding[] = [];
  let left = 0;
  let budget = INSPECTION_LIMITS.textChars;
  for (const { path, text } of files) {
    if (text === null) continue;
    const seen = text.slice(0, Math.max(0, budget));
    budget -= text.length;
    if (seen.length < text.length) left++;
    for (const rule of RULES) {
      if (rule.applies !== undefined && !rule.applies(path)) continue;
      const matches = rule.find(seen);
      findings.push(...matches.slice(0, INSPECTION_LIMITS.perRule).map((match) => findingOf(rule, path, seen, match)));
      if (matches.length <= INSPECTION_LIMITS.perRule) continue;
      const more = matches.length - INSPECTION_LIMITS.perRule;
      findings.push({
        code: "INSPECTION_MORE",
        message: `${more} more of ${rule.code} in this file.`,
        path,
        severity: "info",
      });
    }
  }
  findings.push(...missingReferences(files));
  if (left > 0) {
    const message = `${left} files were not looked at to their end: the package has too much text.`;
    findings.push({ code: "INSPECTION_CUT", message, path: "", severity: "info" });
  }
  return bounded(findings);
}

/** How many findings there are of each severity. */
export function countFindings(warnings: readonly Issue[]): Record<Severity, number> {
  const counts = { high: 0, low: 0, info: 0 };
  for (const { severity } of warnings) if (severity !== undefined) counts[severity]++;
  return counts;
}

function findingOf(
  { code, severity }: { code: string; severity: Severity },
  path: string,
  text: string,
  match: Match,
): Finding {
  return { code, message: match.message, path, line: lineOf(text, match.at), severity: match.severity ?? severity };
}

/** The worst first, and no more than a bounded number. */
function bounded(findings: readonly Finding[]): Finding[] {
  const rank = { high: 0, low: 1, info: 2 };
  const sorted = [...findings].sort((a, b) => rank[a.severity] - rank[b.severity]);
  if (sorted.length <= INSPECTION_LIMITS.findings) return sorted;
  const message = `${sorted.length - INSPECTION_LIMITS.findings} more findings are not listed.`;
  return [
    ...sorted.slice(0, INSPECTION_LIMITS.findings),
    { code: "INSPECTION_MORE", message, path: "", severity: "info" },
  ];
}

function lineOf(text: string, at: number): number {
  let line = 1;
  for (let index = text.indexOf("\n"); index >= 0 && index < at; index = text.indexOf("\n", index + 1)) line++;
  return line;
}
