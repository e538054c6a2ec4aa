// Checks the scripts of third-party skills: the result of publishing each, and whether it does the same here as in its own interpreter.
// That interpreter runs confined, or not at all.

import { readFile } from "node:fs/promises";
import path from "node:path";
import { unzipSync } from "fflate";
import { differences } from "../../test/scripts/compare.mjs";
import { openBench } from "./bench.mjs";
import { runConfined } from "./confined.mjs";
import { packed, runOnBench, SKILL } from "./on-bench.mjs";
import { openGatewayForScripts } from "./on-gateway.mjs";

/** Calls that a model makes with an unfamiliar script: for help, without arguments, with a file and some input. */
const CASES = [{ args: ["--help"] }, { args: [] }, { args: ["/workspace/input.json"], input: "hello\n42\n" }];
const WORKSPACE = {
  "/workspace/input.json": '[{"id":1,"name":"a","value":3.5},{"id":2,"name":"b","value":4}]',
  "/workspace/input.txt": "# Title\n\nhello world, a line\n",
};
const LANGUAGES = { javascript: /\.[cm]?[jt]s$/, python: /\.py$/, shell: /\.(?:sh|bash)$/ };
/** Messages of an interpreter that lacks a dependency of the script. If both sides print one, that does not prove that the script runs. */
const LACKS =
  /ModuleNotFoundError|ImportError|Cannot find (?:module|package)|MODULE_NOT_FOUND|command not found|SyntaxError/;
/** Time limit of a script on the gateway, and in its own interpreter. */
const MS = 30_000;
/** Local isolates live as long as their bench. */
const SKILLS_OF_A_BENCH = 6;

/**
 * Checks or runs the scripts of every skill, and prints a line per script and totals.
 * @param {{ runs: boolean, onGateway: boolean }} options `onGateway`: on a gateway with an executor instead of the bench
 */
export async function scriptsOfCorpus(zips, readPackage, { runs, onGateway }) {
  const skills = [];
  let side = null;
  try {
    for (const [at, zip] of zips.entries()) {
      if (side === null || (!onGateway && at % SKILLS_OF_A_BENCH === 0)) {
        await side?.close();
        side = onGateway ? await openGatewayForScripts() : await openBenchForScripts();
      }
      const { files, note } = await filesOf(zip, readPackage);
      const scripts = await side.verdicts(files);
      const results = [];
      for (const verdict of scripts) results.push(await lookAt(side, files, verdict, runs));
      if (results.length > 0) skills.push({ name: `${path.basename(zip)}${note}`, told: results });
    }
  } finally {
    await side?.close();
  }
  return sumUp(skills, runs);
}

async function openBenchForScripts() {
  const bench = await openBench();
  return {
    verdicts: async (files) => (await bench.ask("scripts", packed(files), {})).scripts ?? [],
    run: (given) => runOnBench(bench, given),
    close: () => bench.close(),
  };
}

/** Returns the files of a ZIP, even if it is not a valid skill. Its scripts test the gateway equally well. */
async function filesOf(zip, readPackage) {
  const upload = new Uint8Array(await readFile(zip));
  const { package: found, issues } = await readPackage(upload, { fileName: path.basename(zip) });
  if (found !== null) {
    const entries = found.files.map(({ path: name, offset, size }) => [name, found.zip.slice(offset, offset + size)]);
    return { files: Object.fromEntries(entries), note: "" };
  }
  const entries = Object.entries(unzipSync(upload)).filter(([name]) => !name.endsWith("/"));
  const skill = entries.find(([name]) => /(^|\/)SKILL\.md$/i.test(name))?.[0].replace(/SKILL\.md$/i, "") ?? "";
  const files = Object.fromEntries(entries.map(([name, bytes]) => [name.slice(skill.length), bytes]));
  return { files: { ...files, "SKILL.md": SKILL }, note: `  (refused: ${issues.map(({ code }) => code).join(" ")})` };
}

async function lookAt(side, files, verdict, runs) {
  const language = Object.keys(LANGUAGES).find((name) => LANGUAGES[name].test(verdict.path)) ?? "other";
  const script = { ...verdict, language };
  if (!runs || language === "other") return script;
  const equal = { exit: 0, whole: 0, works: false, worksThere: false };
  const results = [];
  for (const asked of CASES) {
    const given = { files, script: verdict.path, language, files_in: WORKSPACE, ...asked };
    const [here, there] = [await side.run(given), await runConfined({ ...given, ms: MS })];
    if (!LACKS.test(there.stderr)) equal.worksThere = true;
    const found = differences(here, there);
    if (!found.includes("exit")) equal.exit++;
    if (found.length === 0) equal.whole++;
    // A module that only exports a function does nothing when it is loaded, so the function is called.
    const isSame = !found.includes("stdout") || (there.stdout === "" && there.exit === 0);
    if (!found.includes("exit") && isSame && !LACKS.test(there.stderr)) equal.works = true;
    if (found.length > 0) results.push(difference(asked, found, here, there));
  }
  return { ...script, equal, differs: results };
}

function difference({ args }, found, here, there) {
  const of = ({ exit, stdout, stderr }) => `${exit} ${JSON.stringify(`${stdout}${stderr}`.slice(-250))}`;
  return `      ${args.join(" ") || "(nothing)"}: ${found.join(", ")}\n        here  ${of(here)}\n        there ${of(there)}`;
}

/**
 * Whether a script runs: its exit codes equal those of its own interpreter, and at least one run had an effect. Without running: whether
 * its verdict says so.
 */
const isRunning = ({ equal, runs }) =>
  equal === undefined ? runs === "isolate" || runs === "partly" : equal.exit === CASES.length && equal.works;

/** Prints how many of the scripts that run in their own interpreter run here, and the others by reason. */
function compare(skills) {
  const able = skills.flatMap(({ name, told }) =>
    told.filter(({ equal }) => equal?.worksThere).map((script) => ({ ...script, name })),
  );
  if (able.length === 0) return;
  const failing = able.filter((script) => !isRunning(script));
  const share = (100 * (able.length - failing.length)) / able.length;
  console.log(
    `\n${able.length - failing.length} of ${able.length} scripts that run in their own interpreter run here (${share.toFixed(1)} %). The others:`,
  );
  for (const { name, path: at, runs, reason = "" } of failing) console.log(`  ${name} ${at}  ${runs}  ${reason}`);
}

function sumUp(skills, runs) {
  const languages = {};
  let running = 0;
  for (const { name, told: results } of skills) {
    const works = results.some(isRunning);
    if (works) running++;
    console.log(`${works ? "runs" : "    "} ${name}`);
    for (const script of results) {
      const { language, path: at, reason = "", equal, differs = [] } = script;
      languages[language] ??= { scripts: 0, running: 0, skills: new Set(), verdicts: {} };
      const sums = languages[language];
      sums.scripts++;
      if (isRunning(script)) {
        sums.running++;
        sums.skills.add(name);
      }
      const why = `${script.runs}${reason === "" ? "" : `: ${reason.slice(0, 70)}`}`;
      sums.verdicts[why] = (sums.verdicts[why] ?? 0) + 1;
      const ran = equal === undefined ? "" : `  exit ${equal.exit}/${CASES.length}, all ${equal.whole}/${CASES.length}`;
      console.log(`     ${isRunning(script) ? "+" : "-"} ${at}  ${script.runs}${ran}  ${reason}`);
      for (const line of differs) console.log(line);
    }
  }
  for (const [language, { scripts, running: some, skills: of, verdicts }] of Object.entries(languages)) {
    console.log(`\n${language}: ${some} of ${scripts} scripts run, in ${of.size} skills`);
    for (const [why, count] of Object.entries(verdicts).sort(([, a], [, b]) => b - a))
      console.log(`  ${count}  ${why}`);
  }
  compare(skills);
  console.log(
    `\n${running} of ${skills.length} skills with scripts have at least one that runs${runs ? "" : " (according to publishing)"}`,
  );
  return { skills: skills.length, running };
}
