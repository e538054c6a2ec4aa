// `npm run try:clients`: chat clients from their own packages against the built gateway, unmodified but for URL and key, before vendors
// that refuse what the real ones refuse. Prints which client does what. Installs the clients with its first run.
// usage: npm run try:clients -- [--only <client>]

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { prepareAssets } from "./build/static.mjs";
import { root } from "./kit/files.mjs";
import { readOptions } from "./kit/options.mjs";
import { fail, Refusal, say } from "./kit/refusal.mjs";
import { quiet } from "./kit/wrangler.mjs";

const USAGE = `Use: npm run try:clients -- [--only <client>]
  --only   clients whose names have this, such as langchain; all of them otherwise`;
const FOLDER = path.join(root, "trials");

async function main() {
  const { values } = readOptions(USAGE, { only: { type: "string" } });
  await install();
  await prepareAssets();
  const folder = await mkdtemp(path.join(tmpdir(), "try-clients-"));
  try {
    const results = path.join(folder, "results.json");
    const only = values.only === undefined ? [] : ["-t", values.only.replaceAll(/[^\w @-]/g, ".")];
    const script = path.join(path.dirname(resolve("vitest/package.json")), "vitest.mjs");
    const report = ["--reporter=default", "--reporter=json", `--outputFile.json=${results}`];
    await run(process.execPath, [script, "run", "-c", "trials/vitest.config.ts", ...report, ...only], root);
    const rows = rowsOf(JSON.parse(await readFile(results, "utf8")));
    if (rows.size === 0) throw new Refusal(`No client was tried.\n${USAGE}`);
    console.log(tableOf(rows));
    const failed = [...rows.values()].flatMap((cases) => [...cases.values()]).filter((mark) => mark === FAILED).length;
    console.log(failed === 0 ? "Every case that a client has went well." : `${failed} went wrong.`);
    process.exitCode = failed === 0 ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const resolve = (name) => createRequire(import.meta.url).resolve(name);

/** What `trials/package.json` names, if it is not there yet in these versions. Nothing of it runs a script as it is installed. */
async function install() {
  const { dependencies } = JSON.parse(await readFile(path.join(FOLDER, "package.json"), "utf8"));
  for (const [name, version] of Object.entries(dependencies)) {
    const file = path.join(FOLDER, "node_modules", name, "package.json");
    if (existsSync(file) && JSON.parse(await readFile(file, "utf8")).version === version) continue;
    say("installing the clients in trials/: some gigabytes, and a few minutes");
    const code = await run(
      "npm",
      ["install", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund"],
      FOLDER,
    );
    if (code !== 0) throw new Refusal("npm could not install the clients in trials/. What it said stands above.");
    return;
  }
}

function run(command, args, cwd) {
  const child = spawn(command, args, { cwd, stdio: "inherit", env: { ...process.env, ...quiet } });
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => child.kill(signal));
  return new Promise((done, failed) => child.once("error", failed).once("exit", (code) => done(code ?? 1)));
}

const FAILED = "FAILED";
const MARKS = { passed: "yes", failed: FAILED };

/** By client and case: whether it went well; `-` where the client has no such thing. */
function rowsOf({ testResults }) {
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
