import type { Finding, Line } from "../lines";

const COLUMNS = 5;

export function tableFindings(lines: readonly Line[]): Finding[] {
  const findings: Finding[] = [];
  const find = (line: Line, message: string) => findings.push({ line: line.number, rule: "table", message });
  for (const [index, line] of lines.entries()) {
    if (line.kind !== "table" || lines[index - 1]?.kind === "table") continue;
    const width = cellsOf(line).length;
    const rule = lines[index + 1];
    if (rule === undefined || !/^[\s|:-]+$/.test(rule.text))
      find(line, "A table needs a header and a line of dashes below it.");
    if (width > COLUMNS) find(line, `${width} columns: drop, merge or transpose.`);
    for (let row = index; lines[row]?.kind === "table"; row++) {
      const cells = cellsOf(lines[row] as Line);
      if (cells.length !== width) find(lines[row] as Line, `${cells.length} cells in a table of ${width} columns.`);
      if (cells.some((cell) => cell === "")) find(lines[row] as Line, "An empty value is written `-`.");
    }
  }
  return findings;
}

function cellsOf(line: Line): string[] {
  const inner = line.text.trim().replace(/^\||\|$/g, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim());
}
