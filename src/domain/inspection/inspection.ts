// Inspects a package for a reviewer: hidden text, commands that download and run code, encoded payloads, credentials, missing files.
// Findings are warnings; their absence does not mean that a skill is safe.

import { INSPECTION_LIMITS } from "../limits";
import { SKILL_FILE } from "../package/skill";
import type { Finding, InspectedFile } from "./finding";
import { lineCounter } from "./finding";
import { missingReferences } from "./missing-files";
import { RULES, type Rule } from "./rules";

/**
 * Inspects every text file. Time is linear in the text, and the number of findings is limited: `INSPECTION_MORE` contains the number of
 * further ones. Never quotes more than the first characters of a secret.
 */
export function inspect(files: readonly InspectedFile[]): Finding[] {
  const findings: Finding[] = [];
  let left = 0;
  let budget = INSPECTION_LIMITS.textChars;
  for (const file of inOrder(files)) {
    if (budget <= 0) {
      left++;
      continue;
    }
    const { path, text } = file;
    if (text === null) continue;
    const seen = text.slice(0, budget);
    budget -= text.length;
    if (seen.length < text.length) left++;
    // If the number of characters equals the number of bytes, the text is plain ASCII.
    const isAscii = file.size === text.length;
    for (const rule of RULES) {
      if (rule.applies?.(path) === false || (rule.isBeyondAscii && isAscii)) continue;
      findings.push(...findingsOf(rule, path, seen));
    }
  }
  findings.push(...missingReferences(files));
  if (left > 0) {
    const message = `${left} files were not inspected completely because the package has too much text. Review them yourself.`;
    findings.push({ code: "INSPECTION_CUT", message, path: "", severity: "low" });
  }
  return bounded(findings);
}

/** Orders files: those every model reads first, then small before large, so that an author who fills a package only hides the largest. */
function inOrder(files: readonly InspectedFile[]): InspectedFile[] {
  const rank = ({ path, size }: InspectedFile) => (path.toLowerCase() === SKILL_FILE.toLowerCase() ? -1 : size);
  return [...files].sort((a, b) => rank(a) - rank(b));
}

/** Returns the findings of a rule in one file, and a note if there are more. */
function findingsOf({ code, severity, find }: Rule, path: string, text: string): Finding[] {
  const findings: Finding[] = [];
  let lineOf = lineCounter(text);
  let from = 0;
  for (const match of find(text)) {
    if (findings.length === INSPECTION_LIMITS.perRule) {
      const message = `This file has more findings of type ${code}. Fix the listed ones and check again.`;
      return [...findings, { code: "INSPECTION_MORE", message, path, severity: "info" }];
    }
    // Several patterns of a rule can each match at the start.
    if (match.at < from) lineOf = lineCounter(text);
    from = match.at;
    findings.push({ code, message: match.message, path, line: lineOf(match.at), severity: match.severity ?? severity });
  }
  return findings;
}

/** Returns the most severe findings first, up to a limit. */
function bounded(findings: readonly Finding[]): Finding[] {
  const rank = { high: 0, low: 1, info: 2 };
  const sorted = [...findings].sort((a, b) => rank[a.severity] - rank[b.severity]);
  if (sorted.length <= INSPECTION_LIMITS.findings) return sorted;
  const message = `${sorted.length - INSPECTION_LIMITS.findings} more findings are not listed. Fix the listed ones and check again.`;
  return [
    ...sorted.slice(0, INSPECTION_LIMITS.findings),
    { code: "INSPECTION_MORE", message, path: "", severity: "info" },
  ];
}
