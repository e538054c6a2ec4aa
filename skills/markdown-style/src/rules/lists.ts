import type { Finding, Line } from "../lines";

export function listFindings(lines: readonly Line[]): Finding[] {
  const findings: Finding[] = [];
  const find = (line: Line, message: string) => findings.push({ line: line.number, rule: "list", message });
  for (const line of lines) {
    if (line.kind !== "list") continue;
    if (/^\s*[*+]\s/.test(line.text)) find(line, "Bullets are written with `-`.");
    if (/^\s*\d+\)\s/.test(line.text)) find(line, "Steps are numbered `1.`, not `1)`.");
  }
  for (const block of blocksOf(lines)) {
    const items = block.filter((line) => line.kind === "list");
    const [first] = items;
    if (first !== undefined && items.length === 1) find(first, "A list of one item is a sentence.");
    const stops = items.filter((line) => /[.!?]$/.test(line.text.trimEnd())).length;
    if (first !== undefined && stops > 0 && stops < items.length)
      find(first, "Some items end in a full stop and some do not.");
  }
  return findings;
}

/** Lists with the lines that belong to their items. */
function blocksOf(lines: readonly Line[]): Line[][] {
  const blocks: Line[][] = [];
  let isOpen = false;
  for (const line of lines) {
    const belongs: boolean = line.kind === "list" || (isOpen && (line.kind === "blank" || /^\s{2,}\S/.test(line.text)));
    if (belongs && !isOpen) blocks.push([]);
    if (belongs) blocks.at(-1)?.push(line);
    isOpen = belongs;
  }
  return blocks;
}
