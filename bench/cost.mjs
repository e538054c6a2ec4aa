// `npm run bench:cost`: the price that Cloudflare charges for a million of each operation, with the units that it bills. It counts on the
// built bundle in Miniflare, writes the tables of docs/cost.md, and fails where an operation writes more rows than its ceiling. usage: npm
// run bench:cost -- [--catalogs 10,1000,10000] [--times 3] [--check]

import { readFile } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { root, writeWhole } from "../scripts/kit/files.mjs";
import { rowsOfCounts } from "./cost/counts.mjs";
import { listeningHosts, MOST_SHARE } from "./cost/listening.mjs";
import { operationsFor } from "./cost/operations.mjs";
import { priced } from "./cost/prices.mjs";
import { between, tables } from "./cost/print.mjs";
import { startGateway } from "./gateway.mjs";
import { startEverything } from "./peers.mjs";
import { seedCatalog } from "./skills.mjs";

const { values } = parseArgs({
  options: {
    catalogs: { type: "string", default: "10,1000,10000" },
    times: { type: "string", default: "3" },
    check: { type: "boolean", default: false },
  },
});
const sizes = values.catalogs.split(",").map(Number);
const times = Number(values.times);
const everything = await startEverything();
const rows = [];
let listening;
let counts;
try {
  counts = await rowsOfCounts(
    (options) => startGateway({ development: true, entry: "bench/cost/worker.ts", ...options }),
    (gateway, user) => seedCatalog(gateway, user, 10),
    units,
  );
  listening = await listen();
  for (const size of sizes) rows.push(...(await measure(size)));
} finally {
  await everything.stop();
}

const text = tables(rows, sizes, listening, counts);
console.log(text);
const over = rows.flatMap(({ name, size, units, ceiling = {} }) => {
  const object = units.objectRowsWritten + units.alarmsSet;
  return [
    ...(object > (ceiling.object ?? Number.POSITIVE_INFINITY)
      ? [`${name}, ${size} skills: ${object} rows in the object, at most ${ceiling.object}`]
      : []),
    ...(units.d1RowsWritten > (ceiling.d1 ?? Number.POSITIVE_INFINITY)
      ? [`${name}, ${size} skills: ${units.d1RowsWritten} rows in D1, at most ${ceiling.d1}`]
      : []),
  ];
});
if (listening.share > MOST_SHARE)
  over.push(
    `hosts that listen: awake for ${(listening.share * 100).toFixed(3)} % of the time, at most ${MOST_SHARE * 100} %`,
  );
if (listening.slept < listening.hosts)
  over.push(`hosts that listen: only ${listening.slept} of ${listening.hosts} objects slept meanwhile`);
for (const line of over) console.error(line);
if (!values.check) {
  const file = path.join(root, "docs", "cost.md");
  await writeWhole(file, between(await readFile(file, "utf8"), text));
}
process.exitCode = over.length === 0 ? 0 : 1;

/** A hundred hosts, before a gateway of their own. */
async function listen() {
  const gateway = await startGateway({ development: true, entry: "bench/cost/worker.ts" });
  try {
    return await listeningHosts(gateway, () => units(gateway));
  } finally {
    await gateway.stop();
  }
}

/** Measures each operation with a separate gateway and a catalog of `size` skills. */
async function measure(size) {
  const started = performance.now();
  const gateway = await startGateway({ development: true, entry: "bench/cost/worker.ts" });
  try {
    const user = `cost-${size}`;
    const skills = await seedCatalog(gateway, user, size);
    const found = [];
    for (const operation of await operationsFor(gateway, { user, skills, everything }))
      found.push({ ...operation, size, ...(await count(gateway, operation)) });
    console.error(`${size} skills: ${((performance.now() - started) / 1000).toFixed(0)} s`);
    return found;
  } finally {
    await gateway.stop();
  }
}

/**
 * Returns the units of one operation. Of several runs it returns the most expensive, because warm runs can differ by what an isolate has
 * cached.
 */
async function count(gateway, { name, act, before, once = false, requests, userWaits }) {
  let found = null;
  for (let n = 0; n < (once ? 1 : times); n++) {
    try {
      await before?.(n);
      await units(gateway);
      const started = performance.now();
      await act(n);
      const ms = performance.now() - started;
      const one = await units(gateway);
      const cost = priced({ requests, units: one, userWaits });
      if (found === null || cost.total > found.cost.total) found = { units: one, cost, ms };
    } catch (error) {
      throw new Error(`${name}: ${error.message}`);
    }
  }
  return found;
}

async function units(gateway) {
  // Work that continues after the response counts too.
  await new Promise((resolve) => setTimeout(resolve, 20));
  return JSON.parse((await gateway.send({ method: "POST", route: "/cost/units" })).text);
}
