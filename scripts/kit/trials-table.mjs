// Formats the results of a trial as a table: one row for each subject, one column for each case.

const FAILED = "FAILED";
const MARKS = { passed: "yes", failed: FAILED };

/**
 * Returns the result by subject and case. `-` means that the subject lacks the feature; the title of the case contains the reason in
 * brackets.
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
  // Subjects of which no case ran were not selected.
  for (const [tried, cases] of rows) if ([...cases.values()].every((mark) => mark === "-")) rows.delete(tried);
  return rows;
}

/** Returns one line with the reason for each `-`. */
export function reasonsOf(testResults) {
  return testResults.flatMap(({ assertionResults }) =>
    assertionResults.flatMap(({ ancestorTitles: [tried], title, status }) => {
      const [, name, reason] = /^(.*?) \((.*)\)$/.exec(title) ?? [];
      return reason === undefined || status === "failed" ? [] : [`- ${tried}, ${name}: ${reason}`];
    }),
  );
}

/** Returns the number of failures: cases, and files that failed before their first case, for example because no browser is installed. */
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
