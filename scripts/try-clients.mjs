// `npm run try:clients`: chat clients from their own packages against the built gateway, unmodified but for URL and key, before vendors
// that refuse what the real ones refuse. `npm run try:clients:skills`: clients of other skill registries. Prints which client does what.
// Installs the clients with its first run.
// usage: npm run try:clients[:skills] -- [--only <client>]

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { prepareAssets } from "./build/static.mjs";
import { root } from "./kit/files.mjs";
import { readOptions } from "./kit/options.mjs";
import { fail, Refusal } from "./kit/refusal.mjs";
import { installTrials, runTests } from "./kit/trials.mjs";

const USAGE = `Use: npm run try:clients[:skills] -- [--only <client>]
  --only   clients whose names have this, such as langchain; all of them otherwise`;

async function main() {
  const { values } = readOptions(USAGE, { only: { type: "string" }, skills: { type: "boolean" } });
  const trials = values.skills === true ? "trials/skills" : "trials";
  await installTrials(
    path.join(root, trials),
    values.skills ? "a gigabyte, and a minute or two" : "some gigabytes, and a few minutes",
  );
  await prepareAssets();
  const folder = await mkdtemp(path.join(tmpdir(), "try-clients-"));
  try {
    const results = path.join(folder, "results.json");
    const only = values.only === undefined ? [] : ["-t", values.only.replaceAll(/[^\w @-]/g, ".")];
    const report = ["--reporter=default", "--reporter=json", `--outputFile.json=${results}`];
    // The corpora are another command's.
    const files = values.skills === true ? SKILLS.map((name) => `${trials}/${name}.test.ts`) : [];
    await runTests(["-c", `${trials}/vitest.config.ts`, ...files, ...report, ...only], root);
    const { testResults } = JSON.parse(await readFile(results, "utf8"));
    const rows = rowsOf(testResults);
    if (rows.size === 0) throw new Refusal(`No client was tried.\n${USAGE}`);
    console.log(tableOf(rows));
    const cases = [...rows.values()].flatMap((cases) => [...cases.values()]).filter((mark) => mark === FAILED);
    // A file that failed before its first case, as where there is no browser, has none that failed.
    const notBegun = testResults.filter(
      ({ status, assertionResults }) =>
        status === "failed" && assertionResults.every(({ status }) => status !== "failed"),
    );
    const failed = cases.length + notBegun.length;
    console.log(failed === 0 ? "Every case that a client has went well." : `${failed} went wrong.`);
    process.exitCode = failed === 0 ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const SKILLS = ["clients", "plugins", "sdk-beta"];
const FAILED = "FAILED";
const MARKS = { passed: "yes", failed: FAILED };

/** By client and case: whether it went well; `-` where the client has no such thing. */
function rowsOf(testResults) {
  const rows = new Map();
  for (const { assertionResults } of testResults)
    for (const { ancestorTitles, title, status } of assertionResults) {
      const [client] = ancestorTitles;
      const [name, reason] = title.split(" (");
      if (status !== "passed" && status !== "failed" && reason === undefined) continue;
      const cases = rows.get(client) ?? rows.set(client, new Map()).get(client);
      cases.set(name, MARKS[status] ?? "-");
    }
  // A client of which nothing ran was not asked for.
  for (const [client, cases] of rows) if ([...cases.values()].every((mark) => mark === "-")) rows.delete(client);
  return rows;
}

function tableOf(rows) {
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

main().catch(fail);
