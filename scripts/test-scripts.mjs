// `npm run test:scripts`: scripts as authors write them, in the sandbox and as their own interpreter runs them. What is expected of the
// project's own is kept beside them; of other people's the reference runs here, confined: no network, an empty home, a folder that goes.
// usage: npm run test:scripts -- [folder with skills as ZIPs] [--record]

import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { zipSync } from "fflate";
import { root } from "./kit/files.mjs";
import { readOptions } from "./kit/options.mjs";
import { fail } from "./kit/refusal.mjs";
import { openBench } from "./local/bench.mjs";
import { runConfined } from "./local/confined.mjs";

const USAGE = `Use: npm run test:scripts -- [folder] [--record]
  folder     skills as ZIPs, whose Node scripts are compared with Node
  --record   writes down what Node makes of the project's own scripts`;

const OWN = path.join(root, "test", "scripts", "node");
const CASES = [{ args: ["--help"] }, { args: [] }, { args: ["/workspace/input.json"], input: "hello\n42\n" }];
const WORKSPACE = {
  "/workspace/input.json": '[{"id":1,"name":"a","value":3.5},{"id":2,"name":"b","value":4}]',
  "/workspace/input.txt": "# Title\n\nhello world, a line\n",
};

async function main() {
  const { values, positionals } = readOptions(USAGE, { record: { type: "boolean" } }, { positionals: 1 });
  const bench = await openBench();
  try {
    const own = await ownScripts(bench, values.record === true);
    const others =
      positionals[0] === undefined
        ? true
        : await othersScripts(bench, path.resolve(process.env.INIT_CWD ?? ".", positionals[0]));
    process.exitCode = own && others ? 0 : 1;
  } finally {
    await bench.close();
  }
}

async function ownScripts(bench, record) {
  const { package: brought, cases } = JSON.parse(await readFile(path.join(OWN, "cases.json"), "utf8"));
  const files = Object.fromEntries(Object.entries(brought).map(([name, text]) => [name, Buffer.from(text)]));
  // A case is called after its script, or names it.
  const scripts = Object.entries(cases).map(([name, { script = name }]) => script);
  for (const name of new Set(scripts)) files[`scripts/${name}`] = await readFile(path.join(OWN, name));
  const known = path.join(OWN, "expected.json");
  const expected = record ? {} : JSON.parse(await readFile(known, "utf8"));
  const sums = { all: 0, exit: 0, whole: 0 };
  for (const [name, { script = name, ...asked }] of Object.entries(cases)) {
    const given = { files, script: `scripts/${script}`, ...asked };
    expected[name] ??= await runConfined(given);
    compare(name, await onBench(bench, given), expected[name], sums);
  }
  if (record) await writeFile(known, `${JSON.stringify(expected, null, 1)}\n`);
  console.log(
    `${sums.all} cases of ${new Set(scripts).size} own scripts, exit code equal in ${sums.exit}, everything in ${sums.whole}`,
  );
  return sums.exit === sums.all && sums.whole >= sums.all * 0.9;
}

async function othersScripts(bench, folder) {
  const sums = { all: 0, exit: 0, whole: 0 };
  const { unzipSync } = await import("fflate");
  for (const zip of (await readdir(folder)).filter((name) => name.endsWith(".zip")).sort()) {
    const found = Object.entries(unzipSync(await readFile(path.join(folder, zip)))).filter(
      ([name]) => !name.endsWith("/"),
    );
    const skill = found.find(([name]) => /(^|\/)SKILL\.md$/i.test(name))?.[0].replace(/SKILL\.md$/i, "") ?? "";
    const files = Object.fromEntries(found.map(([name, bytes]) => [name.slice(skill.length), Buffer.from(bytes)]));
    for (const script of Object.keys(files).filter(
      (name) => /\.[cm]?js$/.test(name) && !/\.test\.|node_modules/.test(name),
    ))
      for (const asked of CASES) {
        const given = { files, script, ...asked, files_in: WORKSPACE };
        const title = `${zip} ${script} ${asked.args.join(" ")}`;
        compare(title, await onBench(bench, given), await runConfined(given), sums);
      }
  }
  console.log(`scripts of others: ${sums.all} runs, exit code equal in ${sums.exit}, everything in ${sums.whole}`);
  return true;
}

async function onBench(bench, { files, script, args = [], input = "", files_in = {}, ...rest }) {
  const inside = { "SKILL.md": Buffer.from("---\nname: scripts\ndescription: Scripts.\n---\n\n# Scripts\n"), ...files };
  const zip = zipSync(
    Object.fromEntries(Object.entries(inside).map(([name, bytes]) => [`scripts/${name}`, new Uint8Array(bytes)])),
  );
  const base64 = Object.fromEntries(
    Object.entries({ ...files_in, ...rest.given }).map(([name, text]) => [name, Buffer.from(text).toString("base64")]),
  );
  const { run, ...other } = await bench.ask("scripts", zip, {
    call: script,
    arguments: { args, input },
    files: base64,
  });
  if (run === undefined) return { exit: null, stdout: "", stderr: JSON.stringify(other), files: {} };
  return { exit: run.exit_code, stdout: run.stdout, stderr: run.stderr, files: run.files };
}

function compare(name, here, there, sums) {
  const same = {
    exit: here.exit === there.exit,
    stdout: here.stdout === there.stdout,
    files: JSON.stringify(Object.entries(here.files).sort()) === JSON.stringify(Object.entries(there.files).sort()),
  };
  const whole = same.exit && same.stdout && same.files;
  sums.all++;
  if (same.exit) sums.exit++;
  if (whole) sums.whole++;
  if (whole) return;
  const differs = Object.keys(same).filter((key) => !same[key]);
  console.log(`- ${name}: ${differs.join(", ")}`);
  for (const [who, run] of [
    ["here", here],
    ["reference", there],
  ])
    console.log(
      `    ${who}: ${run.exit} ${JSON.stringify(run.stdout).slice(0, 300)} ${JSON.stringify(run.stderr ?? "").slice(0, 200)} ${Object.keys(run.files)}`,
    );
}

main().catch(fail);
