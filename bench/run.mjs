// `npm run bench`: every path beside its floor, in one run. docs/benchmarks.md explains rows and floors.
// usage: npm run bench -- [--only load,turn] [--passes 5] [--seconds 3]

import { mkdir, readFile, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { root } from "../scripts/kit/files.mjs";
import { startGateway } from "./gateway.mjs";
import { compare } from "./measure.mjs";
import { table, verdict } from "./table.mjs";

/**
 * In the order of the table. `alone` rows need no running gateway and are measured before it starts. Those that publish for
 * everybody come last: their skills are in every other user's catalog. A `fresh` one has a gateway of its own: workerd keeps every
 * isolate that it was given, and a thousand more beside those of other rows were too many for its memory.
 */
const ROWS = {
  size: { alone: true },
  start: { alone: true },
  mcp: { alone: true, apart: true },
  chat: { alone: true, apart: true },
  parts: {},
  open: {},
  load: {},
  layers: {},
  turn: {},
  catalog: {},
  read: {},
  upload: {},
  ask: {},
  throughput: { apart: true, fresh: true },
  sockets: { apart: true },
  tokens: {},
  code: {},
  doors: {},
  languages: { apart: true, fresh: true },
  memory: { alone: true, apart: true },
  many: { apart: true, fresh: true },
  lists: { alone: true, apart: true },
};

/** Rows that take minutes run only when they are named. */
const usual = Object.keys(ROWS).filter((name) => !ROWS[name].apart);

const { values } = parseArgs({
  options: {
    only: { type: "string", default: usual.join(",") },
    passes: { type: "string", default: "5" },
    seconds: { type: "string", default: "3" },
  },
});
const only = values.only.split(",");
const unknown = only.filter((name) => ROWS[name] === undefined);
const options = { passes: Number(values.passes), seconds: Number(values.seconds) };
if (unknown.length > 0 || !(options.passes >= 1) || !(options.seconds > 0)) {
  console.error(`usage: npm run bench -- [--only ${Object.keys(ROWS).join(",")}] [--passes 5] [--seconds 3]`);
  process.exit(2);
}

const load = [os.loadavg()[0]];
const results = [];
const failures = [];
for (const name of only.filter((row) => ROWS[row].alone)) results.push(...(await measure(name, {})));
await measureTogether(only.filter((row) => !ROWS[row].alone && !ROWS[row].fresh));
for (const name of only.filter((row) => ROWS[row].fresh)) await measureTogether([name]);
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

/** Rows before one gateway, one after the other. */
async function measureTogether(names) {
  if (names.length === 0) return;
  const gateway = await startGateway();
  try {
    for (const name of names) {
      results.push(...(await measure(name, { gateway, compare: (sides) => compare(gateway.send, sides, options) })));
    }
  } finally {
    await gateway.stop();
  }
}

/** The lines of a row's table; none when it failed, which does not lose the others. */
async function measure(name, more) {
  const started = performance.now();
  const { run } = await import(`./rows/${name}.mjs`);
  let rows;
  try {
    rows = await run({ ...options, ...more });
  } catch (error) {
    console.error(error);
    failures.push(name);
    return [];
  }
  console.log(`${name}: ${((performance.now() - started) / 1000).toFixed(0)} s`);
  return rows.map((row) => ({ ...row, row: name, verdict: verdict(row) }));
}

async function machine() {
  const workerd = JSON.parse(await readFile(path.join(root, "node_modules/workerd/package.json"), "utf8")).version;
  const cpus = os.cpus();
  return `${cpus.length} cores of ${cpus[0].model}, ${Math.round(os.totalmem() / 2 ** 30)} GB, ${os.type()}, Node ${process.versions.node}, workerd ${workerd}`;
}
