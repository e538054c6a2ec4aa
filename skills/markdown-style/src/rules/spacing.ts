import type { Finding, Kind, Line } from "../lines";

const BLOCKS: readonly Kind[] = ["heading", "table", "list"];

export function spacingFindings(lines: readonly Line[]): Finding[] {
  const findings: Finding[] = [];
  const find = (line: Line, message: string) => findings.push({ line: line.number, rule: "spacing", message });
  for (const [index, line] of lines.entries()) {
    const before = lines[index - 1];
    if (line.kind !== "code" && /[ \t]+$/.test(line.text)) find(line, "No spaces at the end of a line.");
    if (line.kind === "blank" && before?.kind === "blank") find(line, "One blank line is enough.");
    if (line.kind !== "code" && /[“”„‘’]/.test(line.text)) find(line, "Quotes are straight.");
    if (before === undefined || before.kind === "blank" || line.kind === "blank") continue;
    if (BLOCKS.includes(line.kind) && before.kind === "text" && !/^\s/.test(line.text))
      find(line, "A blank line goes before this.");
    if (before.kind === "heading") find(line, "A blank line follows a heading.");
  }
  return findings;
}
