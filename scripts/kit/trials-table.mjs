// What a trial found, as a table: who was tried, in which cases, and how each went.

const FAILED = "FAILED";
const MARKS = { passed: "yes", failed: FAILED };

/**
 * By who was tried and case: whether it went well; `-` where they have no such thing, which the case's own title gives a reason for, in brackets.
 * @param {{ assertionResults: { ancestorTitles: string[], title: string, status: string }[] }[]} testResults as vitest reports them
 * @returns {Map<string, Map<string, string>>}
 */
export function rowsOf(testResults) {
  const rows = new Map();
  for (const { assertionResults } of testResults)
    for (const { ancestorTitles, title, status } of assertionResults) {
      const [tried] = ancestorTitles;
      const [name, reason] = title.split(" (");
      if (status !== "passed" && status !== "failed" && reason === undefined) continue;
      const cases = rows.get(tried) ?? rows.set(tried, new Map()).get(tried);
      cases.set(name, status === "failed" || reason === undefined ? (MARKS[status] ?? "-") : "-");
    }
  // Of whom nothing ran, they were not asked for.
  for (const [tried, cases] of rows) if ([...cases.values()].every((mark) => mark === "-")) rows.delete(tried);
  return rows;
}

/** Why there is a `-`: a line for each. */
export function reasonsOf(testResults) {
  return testResults.flatMap(({ assertionResults }) =>
    assertionResults.flatMap(({ ancestorTitles: [tried], title, status }) => {
      const [, name, reason] = /^(.*?) \((.*)\)$/.exec(title) ?? [];
      return reason === undefined || status === "failed" ? [] : [`- ${tried}, ${name}: ${reason}`];
    }),
  );
}

/** How much went wrong: cases, and files that failed before their first one, as where there is no browser. */
export function failuresIn(rows, testResults) {
  const cases = [...rows.values()].flatMap((cases) => [...cases.values()]).filter((mark) => mark === FAILED);
  const notBegun = testResults.filter(
    ({ status, assertionResults }) =>
      status === "failed" && assertionResults.every(({ status }) => status !== "failed"),
  );
  return cases.length + notBegun.length;
}

/** @param {Map<string, Map<string, string>>} rows */
export function tableOf(rows) {
  const names = [...new Set([...rows.values()].flatMap((cases) => [...cases.keys()]))];
  const cells = [
    ["client", ...names],
    ...[...rows].map(([client, cases]) => [client, ...names.map((name) => cases.get(name) ?? "-")]),
  ];
  const widths = cells[0].map((_, at) => Math.max(...cells.map((row) => row[at].length)));
  const line = (row) => `| ${row.map((cell, at) => cell.padEnd(widths[at])).join(" | ")} |`;
  const [head, ...body] = cells;
  return [line(head), `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`, ...body.map(line)].join("\n");
}
