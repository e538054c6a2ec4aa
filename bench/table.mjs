// Prints results as a table, for the terminal and for docs/benchmarks.md.

const COLUMNS = [
  "path",
  "p50",
  "p99",
  "floor p50",
  "floor p99",
  "measured",
  "spread of passes",
  "floors",
  "budget",
  "",
];

/** @param {object[]} rows */
export function table(rows) {
  const lines = [COLUMNS, ...rows.map(cells)];
  const widths = COLUMNS.map((_, n) => Math.max(3, ...lines.map((line) => line[n].length)));
  const print = (line) => `| ${line.map((cell, n) => cell.padEnd(widths[n])).join(" | ")} |`;
  const rule = `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`;
  return [print(lines[0]), rule, ...lines.slice(1).map(print)].join("\n");
}

/** `ok`, `over`, or empty without a budget. */
export function verdict({ budget, ratio, value, atLeast = false }) {
  if (budget === null) return "";
  const figure = ratio ?? value;
  return (atLeast ? figure >= budget : figure <= budget) ? "ok" : "over";
}

function cells(row) {
  const { name, path, floor, ratio, value, unit, spread, floorSpread, budget, atLeast } = row;
  const times = (side) => (side === undefined ? ["", ""] : [milliseconds(side.p50), milliseconds(side.p99)]);
  const figure = (number) => (ratio === undefined ? `${number.toFixed(1)} ${unit}` : `${number.toFixed(2)}x`);
  const bound =
    budget === null ? "" : `${atLeast ? "≥" : "≤"} ${ratio === undefined ? `${budget} ${unit}` : `${budget}x`}`;
  const between = spread === undefined ? "" : `${figure(spread[0])} to ${figure(spread[1])}`;
  const apart = floorSpread === undefined ? "" : `${((floorSpread - 1) * 100).toFixed(1)} %`;
  return [name, ...times(path), ...times(floor), figure(ratio ?? value), between, apart, bound, verdict(row)];
}

function milliseconds(value) {
  return value.toFixed(2);
}
