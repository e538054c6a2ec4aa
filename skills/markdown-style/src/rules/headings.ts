import type { Finding, Line } from "../lines";

export function headingFindings(lines: readonly Line[]): Finding[] {
  const findings: Finding[] = [];
  const find = (line: Line, message: string) => findings.push({ line: line.number, rule: "heading", message });
  let level = 1;
  for (const line of lines) {
    if (line.kind !== "heading") continue;
    const [, marks = "", title = ""] = /^(#+)\s+(.*?)\s*#*$/.exec(line.text) ?? [];
    if (marks.length > level + 1) find(line, `Level ${marks.length} follows level ${level}: no level is skipped.`);
    if (title.endsWith(":")) find(line, "No colon at the end of a heading.");
    if (/\p{Extended_Pictographic}/u.test(title)) find(line, "No emoji in a heading.");
    level = marks.length;
  }
  return findings;
}
