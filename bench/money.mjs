// `npm run bench:money`: calculates a provider's bill for a conversation with skills, by delivery. It is deterministic: the gateway's texts
// are real, and the messages of users and models have only a size. docs/cost-of-prompts.md explains the rows.
// usage: npm run bench:money -- [--catalogs 5,33,1500] [--predict <prompts>]. With `--predict`, only what predictive loading changes.

import path from "node:path";
import { parseArgs } from "node:util";
import { importTypeScript } from "../scripts/build/bundle.mjs";
import { startGateway } from "./gateway.mjs";
import { gates, printGates } from "./money/gates.mjs";
import { cellsOf, driveCatalog, driveFormats, formatCells, ledgersOf } from "./money/grid.mjs";
import { billExample, driveExample, exampleCatalogs } from "./money/predecessor.mjs";
import { drivePredictions, predictionCells, predictionGates, predictionTable } from "./money/predict.mjs";
import { cheaperToPaste, examples, formatTable, ledgerTable, ranges } from "./money/print.mjs";
import { publishCatalogs, publishSmall } from "./money/skills.mjs";
import { RANKS } from "./skills.mjs";

const { values } = parseArgs({
  options: { catalogs: { type: "string", default: "5,33,1500" }, predict: { type: "string" } },
});
const chosen = values.catalogs.split(",");

const { makeCounter, priceOf } = await importTypeScript("src/domain/bpe.ts", "src/domain/conversation/prices.ts");
const count = makeCounter(RANKS);
const prices = ["gpt-5.4", "gpt-5.6", "claude-sonnet-5", "claude-opus-5-5"].map((model) => ({
  model,
  format: model.startsWith("claude") ? "anthropic" : "openai",
  price: priceOf(model),
}));

/** One model of each vendor with known prices, and both models of the vendors that charge for cache writes. */
const vendors = [...prices.map(({ model }) => model), "deepseek-chat", "gemini-3-pro"].map((model) => ({
  model,
  price: priceOf(model),
}));

if (values.predict !== undefined) {
  const groups = await drivePredicted(path.resolve(process.env.INIT_CWD ?? ".", values.predict));
  const cells = predictionCells(groups, prices, count);
  console.log(predictionTable(cells));
  const held = predictionGates(cells);
  console.log(printGates(held));
  process.exit(held.every(({ ok }) => ok) ? 0 : 1);
}

const driven = await driveAll();
const priced = ({ catalog, shapes }) => cellsOf(catalog, shapes, prices, count);
const cells = driven.grid.flatMap(priced);
const whole = priced(driven.small);
const rows = billExample(driven.example, prices[0], count);
const ledgers = driven.grid.flatMap(({ catalog, shapes }) => ledgersOf(catalog, shapes, prices, count));
const formats = driven.grid.flatMap(({ catalog, formats: shapes }) => formatCells(catalog, shapes, vendors, count));
const held = gates(cells, whole, rows.saved, ledgers, formats);
for (const text of [
  examples(cells),
  ranges([...cells, ...whole]),
  cheaperToPaste([...cells, ...whole]),
  rows.text,
  ledgerTable(ledgers),
  formatTable(formats),
])
  console.log(text);
console.log(printGates(held));
process.exitCode = held.every(({ ok }) => ok) ? 0 : 1;

async function drivePredicted(file) {
  const gateway = await startGateway();
  try {
    return await drivePredictions(gateway, file);
  } finally {
    await gateway.stop();
  }
}

/** Runs every conversation before any pricing: the gateway would close a connection that is idle during the pricing. */
async function driveAll() {
  const ten = exampleCatalogs(count);
  const gateway = await startGateway();
  try {
    const catalogs = await publishCatalogs(gateway);
    const five = await publishSmall(gateway);
    const small = { name: "5 small skills", user: "small", skills: five, only: { spec: { skills: five } } };
    const grid = [];
    for (const catalog of catalogs.filter(({ name }) => chosen.includes(name.split(" ")[0]))) {
      const started = performance.now();
      grid.push({
        catalog,
        shapes: await driveCatalog(gateway, catalog),
        formats: await driveFormats(gateway, catalog),
      });
      console.error(`${catalog.name}: ${((performance.now() - started) / 1000).toFixed(0)} s`);
    }
    return {
      grid,
      small: { catalog: small, shapes: await driveCatalog(gateway, small) },
      example: await driveExample(gateway, ten),
    };
  } finally {
    await gateway.stop();
  }
}
