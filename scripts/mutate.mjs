// Breaks rules of authorization, retention, delivery and storage order, one at a time, and reports which tests fail.
// usage: node scripts/mutate.mjs [number…]
// Not part of CI: about 20 minutes on two idle cores. It edits files in src/ and restores them, so commit first.

import { spawn, spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { prepareAssets } from "./build/static.mjs";
import { root } from "./kit/files.mjs";
import { fail, Refusal } from "./kit/refusal.mjs";
import { quiet } from "./kit/wrangler.mjs";
import { MUTATIONS } from "./mutations.mjs";

async function main() {
  const numbers = process.argv.slice(2).map(Number);
  const chosen = MUTATIONS.map((mutation, at) => ({ ...mutation, number: at + 1 })).filter(
    ({ number }) => numbers.length === 0 || numbers.includes(number),
  );
  for (const mutation of chosen) await checkMutation(mutation);
  await prepareAssets();
  console.log("| # | area | broken rule | npm test | npm test -- --full |\n|---|---|---|---|---|");
  const missed = [];
  for (const mutation of chosen) {
    const { number, area, rule, tests, full = [] } = mutation;
    const [byTest, byFull] = await withMutation(mutation, async () => {
      const first = await failsWith(tests);
      return [first, first ?? (full.length === 0 ? null : await failsWith(full))];
    });
    if (byFull === null) missed.push(number);
    console.log(`| ${number} | ${area} | ${rule} | ${byTest ?? "no"} | ${byFull ?? "no"} |`);
  }
  console.log(`\n${chosen.length - missed.length} of ${chosen.length} caught.`);
  process.exitCode = missed.length === 0 ? 0 : 1;
}

/** Refuses a mutation that does not apply to exactly one place of an unchanged file. */
async function checkMutation({ number, file, find }) {
  const text = await readFile(path.join(root, file), "utf8");
  const places = text.split(find).length - 1;
  if (places !== 1) throw new Refusal(`Mutation ${number} matches ${places} places of ${file} (1 needed). Update it.`);
  if (spawnSync("git", ["diff", "--quiet", "HEAD", "--", file], { cwd: root }).status !== 0)
    throw new Refusal(`${file} has changes that are not committed. Commit them first.`);
}

async function withMutation({ file, find, replace }, run) {
  const target = path.join(root, file);
  const text = await readFile(target, "utf8");
  const restore = () => spawnSync("git", ["checkout", "--quiet", "HEAD", "--", file], { cwd: root });
  const stop = () => {
    restore();
    process.exit(130);
  };
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
  try {
    await writeFile(
      target,
      text.replace(find, () => replace),
    );
    return await run();
  } finally {
    restore();
    process.off("SIGINT", stop);
    process.off("SIGTERM", stop);
  }
}

/** Returns the first file with a failed test, or `null` when all tests pass. */
function failsWith(files) {
  return new Promise((resolve, reject) => {
    const vitest = spawn(
      process.execPath,
      [path.join("node_modules", "vitest", "vitest.mjs"), "run", "--bail=1", "--reporter=minimal", ...files],
      { cwd: root, env: { ...process.env, ...quiet, NO_COLOR: "1" }, stdio: ["ignore", "pipe", "pipe"] },
    );
    let output = "";
    for (const stream of [vitest.stdout, vitest.stderr]) stream.on("data", (data) => (output += data));
    vitest.once("error", reject);
    vitest.once("exit", (code) => {
      if (code === 0) return resolve(null);
      const failed = /FAIL .*?(test\/\S+\.test\.ts) >/.exec(output)?.[1];
      // A module that does not load, or a machine that is too busy, proves nothing about the tests.
      const isLate = /TimeoutError/.test(output) && !/AssertionError/.test(output);
      if (failed === undefined || isLate)
        return reject(new Refusal(`No assertion failed, and vitest ended with ${code}:\n${output}`));
      resolve(failed);
    });
  });
}

main().catch(fail);
