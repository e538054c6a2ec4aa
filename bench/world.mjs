// `npm run bench:world`: counts the round trips of the gateway's requests, from twelve places of the world. Round trips are counted on the
// real gateway with a lagging replica, and limits on them must hold. Milliseconds are computed from published round-trip times.
// docs/benchmarks.md explains the rows. usage: npm run bench:world -- [--tree folder-of-another-checkout] [--json]

import { readFile } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { root } from "../scripts/kit/files.mjs";
import { gates } from "./world/gates.mjs";
import { measure } from "./world/measured.mjs";
import { timeTables, tripTable, UNSEEN } from "./world/print.mjs";

const { values } = parseArgs({ options: { tree: { type: "string" }, json: { type: "boolean", default: false } } });

const { journeys, held } = await measure(path.resolve(values.tree ?? root));
if (values.json) console.log(JSON.stringify(journeys, null, 1));
else {
  const { commit, journeys: before } = JSON.parse(
    await readFile(new URL("world/before.json", import.meta.url), "utf8"),
  );
  console.log(tripTable(journeys, before, commit));
  for (const table of timeTables(journeys, before, commit)) console.log(`\n${table}`);
  console.log(`\n${UNSEEN}\n`);
  const judged = [...held.map((one) => ({ ...one, worst: "" })), ...gates(journeys, before)];
  for (const { gate, worst, ok } of judged)
    console.log(`${ok ? "ok  " : "OVER"} ${gate}${worst === "" ? "" : `: ${worst}`}`);
  process.exitCode = judged.every(({ ok }) => ok) ? 0 : 1;
}
