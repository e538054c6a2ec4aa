// `npm run bench`: every path beside its floor, in one run. docs/benchmarks.md explains rows and floors.
// usage: npm run bench -- [--full] [--only load,turn] [--passes 3] [--seconds 1]

import { mkdir, readFile, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { root } from "../scripts/kit/files.mjs";
import { startGateway } from "./gateway.mjs";
import { compare } from "./measure.mjs";
import { table, verdict } from "./table.mjs";

/**
 * In the order of the table. Every row has a separate gateway, so skills, isolates and memory of one row do not affect another. `alone`:
 * the row starts its own gateway; `full`: the row takes minutes or has no budget, and runs only with `--full` or by its name.
 */
const ROWS = {
  size: { alone: true },
  start: { alone: true },
  mcp: { alone: true, full: true },
  connections: { alone: true, full: true },
  chat: { alone: true, full: true },
  parts: { full: true },
  open: {},
  load: {},
  layers: {},
  turn: {},
  catalog: {},
  read: {},
  upload: {},
  questions: {},
  throughput: { full: true },
  sockets: { full: true },
  tokens: {},
  code: {},
  compat: {},
  languages: { full: true },
  resetting: { alone: true, full: true },
  memory: { alone: true, full: true },
  "many-skills": { full: true },
  lists: { alone: true, full: true },
};
const USUAL = { passes: 3, seconds: 1 };
const FULL = { passes: 5, seconds: 3 };
/** A normal run repeats noisy passes for this long and then uses those it has. */
const REPEAT_MS = 6.5 * 60_000;

const { values } = parseArgs({
  options: {
    full: { type: "boolean", default: false },
    only: { type: "string" },
    passes: { type: "string" },
    seconds: { type: "string" },
  },
});
const length = values.full ? FULL : USUAL;
const only =
  values.only === undefined
    ? Object.keys(ROWS).filter((name) => values.full || !ROWS[name].full)
    : values.only.split(",");
const unknown = only.filter((name) => ROWS[name] === undefined);
const options = { passes: Number(values.passes ?? length.passes), seconds: Number(values.seconds ?? length.seconds) };
if (unknown.length > 0 || !(options.passes >= 1) || !(options.seconds > 0)) {
  console.error(`usage: npm run bench -- [--full] [--only ${Object.keys(ROWS).join(",")}] [--passes 3] [--seconds 1]`);
  process.exit(2);
}
const until = values.full ? Number.POSITIVE_INFINITY : performance.now() + REPEAT_MS;

const load = [os.loadavg()[0]];
const results = [];
const failures = [];
for (const name of only) results.push(...(await measure(name)));
load.push(os.loadavg()[0]);

const report = { at: new Date().toISOString(), machine: await machine(), load, ...options, rows: results };
const file = path.join(root, "bench", "results", `${report.at.replaceAll(":", "-").slice(0, 19)}.json`);
await mkdir(path.dirname(file), { recursive: true });
await writeFile(file, `${JSON.stringify(report, null, 2)}\n`);

console.log(`\n${table(results)}`);
for (const { name, seeds, honest, gateway } of results.filter((row) => row.honest !== undefined)) {
  console.log(`\n${name}\n  the seeds' count: ${seeds.actual} instead of ${seeds.static}`);
  for (const [what, { static: before, actual, saved_percent }] of Object.entries(honest)) {
    console.log(`  ${what}: ${actual} instead of ${before} (${saved_percent} % saved)`);
  }
  console.log(
    `  the gateway's own status: ${gateway.actual} instead of ${gateway.static} (${gateway.saved_percent} %)`,
  );
}
console.log(`\n${report.machine}; load average ${load.map((value) => value.toFixed(2)).join(" before, ")} after`);
console.log(`wrote ${path.relative(root, file)}`);
for (const name of failures) console.error(`${name} could not be measured: see above`);
process.exitCode = failures.length > 0 || results.some((row) => verdict(row) === "over") ? 1 : 0;

/** Returns the lines of a row's table; none if it failed, so that other rows still run. */
async function measure(name) {
  const started = performance.now();
  let gateway;
  try {
    const { run } = await import(`./rows/${name}.mjs`);
    if (!ROWS[name].alone) gateway = await startGateway();
    const compareSides = (sides, more) => compare(gateway.send, sides, { ...options, until, ...more });
    const rows = await run({ ...options, until, gateway, compare: compareSides });
    console.log(`${name}: ${((performance.now() - started) / 1000).toFixed(0)} s`);
    return rows.map((row) => ({ ...row, row: name, verdict: verdict(row) }));
  } catch (error) {
    console.error(error);
    failures.push(name);
    return [];
  } finally {
    await gateway?.stop();
  }
}

async function machine() {
  const workerd = JSON.parse(await readFile(path.join(root, "node_modules/workerd/package.json"), "utf8")).version;
  const cpus = os.cpus();
  return `${cpus.length} cores of ${cpus[0].model}, ${Math.round(os.totalmem() / 2 ** 30)} GB, ${os.type()}, Node ${process.versions.node}, workerd ${workerd}`;
}
