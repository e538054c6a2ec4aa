// `npm run try:clients`: tests unmodified chat clients from their own packages against the built gateway, with only URL and key set. The
// model providers are imitations that reject what the real ones reject. `npm run try:clients:skills`: clients of other skill registries.
// Prints the result of each client. Installs the clients with its first run. usage: npm run try:clients[:skills] -- [--only <client>]

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { prepareAssets } from "./build/static.mjs";
import { root } from "./kit/files.mjs";
import { readOptions } from "./kit/options.mjs";
import { fail, Refusal } from "./kit/refusal.mjs";
import { installTrials, runTests } from "./kit/trials.mjs";
import { failuresIn, rowsOf, tableOf } from "./kit/trials-table.mjs";

const USAGE = `Use: npm run try:clients[:skills] -- [--only <client>]
  --only   clients whose names have this, such as langchain; all of them otherwise`;

async function main() {
  const { values } = readOptions(USAGE, { only: { type: "string" }, skills: { type: "boolean" } });
  const trials = values.skills === true ? "test/trials/skills" : "test/trials";
  await installTrials(
    path.join(root, trials),
    values.skills ? "about 1 GB, 1 to 2 minutes" : "several GB, a few minutes",
  );
  await prepareAssets();
  const folder = await mkdtemp(path.join(tmpdir(), "try-clients-"));
  try {
    const results = path.join(folder, "results.json");
    const only = values.only === undefined ? [] : ["-t", values.only.replaceAll(/[^\w @-]/g, ".")];
    const report = ["--reporter=default", "--reporter=json", `--outputFile.json=${results}`];
    // Another command runs the corpora.
    const files = values.skills === true ? SKILLS.map((name) => `${trials}/${name}.test.ts`) : [];
    await runTests(["-c", `${trials}/vitest.config.ts`, ...files, ...report, ...only], root);
    const { testResults } = JSON.parse(await readFile(results, "utf8"));
    const rows = rowsOf(testResults);
    if (rows.size === 0) throw new Refusal(`No client matches --only.\n${USAGE}`);
    console.log(tableOf(rows));
    const failed = failuresIn(rows, testResults);
    console.log(failed === 0 ? "All cases passed." : `${failed} failed.`);
    process.exitCode = failed === 0 ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const SKILLS = ["clients", "plugins", "sdk-beta"];
main().catch(fail);
