// `npm run try:hosts`: runs MCP hosts from their own packages, configured as in docs/mcp.md, with the built gateway and a scripted model,
// and a bridge for stdio servers behind it. Prints which host supports which feature. The first run installs the hosts.
// usage: npm run try:hosts -- [--only <host>]

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { prepareAssets } from "./build/static.mjs";
import { root } from "./kit/files.mjs";
import { readOptions } from "./kit/options.mjs";
import { fail, Refusal } from "./kit/refusal.mjs";
import { installTrials, runTests } from "./kit/trials.mjs";
import { failuresIn, reasonsOf, rowsOf, tableOf } from "./kit/trials-table.mjs";

const USAGE = `Use: npm run try:hosts -- [--only <host>]
  --only   hosts whose names have this, such as Codex; all of them otherwise`;

async function main() {
  const { values } = readOptions(USAGE, { only: { type: "string" } });
  await installTrials(path.join(root, "test/trials", "hosts"), "about 1 GB, 1 to 2 minutes");
  await prepareAssets();
  const folder = await mkdtemp(path.join(tmpdir(), "try-hosts-"));
  try {
    const results = path.join(folder, "results.json");
    const only = values.only === undefined ? [] : ["-t", values.only.replaceAll(/[^\w @-]/g, ".")];
    const report = ["--reporter=default", "--reporter=json", `--outputFile.json=${results}`];
    await runTests(["-c", "test/trials/hosts/vitest.config.ts", ...report, ...only], root);
    const { testResults } = JSON.parse(await readFile(results, "utf8"));
    if (rowsOf(testResults).size === 0) throw new Refusal(`No host matches --only.\n${USAGE}`);
    for (const file of testResults) {
      const rows = rowsOf([file]);
      if (rows.size > 0) console.log(`${[tableOf(rows), ...reasonsOf([file])].join("\n")}\n`);
    }
    const failed = failuresIn(rowsOf(testResults), testResults);
    console.log(failed === 0 ? "All hosts passed." : `${failed} failed.`);
    process.exitCode = failed === 0 ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

main().catch(fail);
