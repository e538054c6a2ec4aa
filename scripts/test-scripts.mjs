// `npm run test:scripts`: runs typical scripts of every language in the sandbox and in their own interpreter. The expected results of the
// project's own scripts are in test/scripts/<language>.
// usage: npm run test:scripts -- [language…] [--record]

import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { differences } from "../test/scripts/compare.mjs";
import { root } from "./kit/files.mjs";
import { readOptions } from "./kit/options.mjs";
import { fail, Refusal } from "./kit/refusal.mjs";
import { openBench } from "./local/bench.mjs";
import { runConfined } from "./local/confined.mjs";
import { runOnBench } from "./local/on-bench.mjs";

const USAGE = `Use: npm run test:scripts -- [language…] [--record]
  language   node, python or shell; all of them otherwise
  --record   writes down what the machine's interpreter makes of the project's own scripts`;

const FOLDER = path.join(root, "test", "scripts");
/** By folder: the language, and the percentage of cases whose whole output must be equal. The exit code must be equal in all cases. */
const TABLES = {
  node: { language: "javascript", equal: 90 },
  python: { language: "python", equal: 92 },
  shell: { language: "shell", equal: 80 },
};

async function main() {
  const { values, positionals } = readOptions(USAGE, { record: { type: "boolean" } }, { positionals: 3 });
  const there = (await readdir(FOLDER, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const asked = positionals.length > 0 ? positionals : there.map(({ name }) => name);
  const unknown = asked.find((name) => !Object.hasOwn(TABLES, name) || !there.some((entry) => entry.name === name));
  if (unknown !== undefined) throw new Refusal(`Unknown language '${unknown}'.\n${USAGE}`);
  const bench = await openBench();
  try {
    const passed = [];
    for (const name of asked) passed.push(await runTable(bench, name, values.record === true));
    process.exitCode = passed.every(Boolean) ? 0 : 1;
  } finally {
    await bench.close();
  }
}

async function runTable(bench, name, record) {
  const { language, equal } = TABLES[name];
  const folder = path.join(FOLDER, name);
  const { package: brought, cases } = JSON.parse(await readFile(path.join(folder, "cases.json"), "utf8"));
  const files = Object.fromEntries(Object.entries(brought).map(([file, text]) => [file, Buffer.from(text)]));
  // A case is named after its script, or names it.
  const scripts = new Set(Object.entries(cases).map(([title, { script = title }]) => script));
  for (const script of scripts) files[`scripts/${script}`] = await readFile(path.join(folder, script));
  const known = path.join(folder, "expected.json");
  const expected = record ? {} : JSON.parse(await readFile(known, "utf8"));
  const sums = { all: 0, exit: 0, whole: 0 };
  for (const [title, { script = title, ...more }] of Object.entries(cases)) {
    const given = { files, script: `scripts/${script}`, language, ...more };
    expected[title] ??= await runConfined(given);
    const here = await runOnBench(bench, given);
    const found = differences(here, expected[title]);
    sums.all++;
    if (!found.includes("exit")) sums.exit++;
    if (found.length === 0) sums.whole++;
    else tell(title, found, here, expected[title]);
  }
  if (record) await writeFile(known, `${JSON.stringify(expected, null, 1)}\n`);
  const { all, exit, whole } = sums;
  console.log(
    `${name}: ${all} cases of ${scripts.size} scripts: ${exit} have the same exit code, ${whole} the same output`,
  );
  return exit === all && whole * 100 >= all * equal;
}

function tell(title, found, here, there) {
  console.log(`- ${title}: ${found.join(", ")}`);
  for (const [who, { exit, stdout, stderr, files }] of Object.entries({ here, there })) {
    const short = (text) => JSON.stringify(text).slice(0, 300);
    console.log(`    ${who.padEnd(5)} ${exit} ${short(stdout)} ${short(stderr)} ${Object.keys(files).join(" ")}`);
  }
}

main().catch(fail);
