// `npm run bench:predict -- <file>`: measures how often the skill that ranks first for a message is the right one, by cross-validation. The
// file is that of `bench:search`. `--write` fits the shipped coefficients to all prompts and draws the plot of docs/predictive-loading.md.
// Exits with 1 if the precision at the shipped threshold is below its bound.

import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import { importTypeScript } from "../scripts/build/bundle.mjs";
import { root } from "../scripts/kit/files.mjs";
import { drawPlot } from "./predict/plot.mjs";
import { fitLogistic, logistic } from "./predict/regression.mjs";

const USAGE = "usage: npm run bench:predict -- <retrieval.json or retrieval.json.gz> [--write]";
const FOLDS = 5;
/** The bounds of the precision at the threshold: for messages whose skill is in the catalog, and with as many whose skill is not. */
const LEAST_PRECISION = 0.9;
const LEAST_MIXED = 0.8;
/** The most skills that a conversation lists. */
const LISTED = 256;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: "boolean", default: false } },
});
if (positionals.length !== 1) {
  console.error(USAGE);
  process.exit(2);
}
const { firstSkill, listedDescription, LEAST_PROBABILITY, CALIBRATION } = await importTypeScript(
  "src/domain/conversation/prediction/rank.ts",
  "src/domain/conversation/prediction/gate.ts",
  "src/domain/conversation/prediction/calibration.ts",
  "src/domain/tokens.ts",
);
const bytes = await readFile(path.resolve(process.env.INIT_CWD ?? ".", positionals[0]));
const { skills, distractors, prompts } = JSON.parse((bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString());
const wanted = [...new Set(prompts.map(({ skill }) => skill))];
const catalogs = catalogsOf();
const cases = casesOf();
const held = heldOut();
const lines = {};
const chosen = [];
let isBelow = false;
for (const catalog of [...Object.keys(catalogs), "all"]) {
  const own = held.filter((one) => catalog === "all" || one.catalog === catalog);
  lines[catalog] = curveOf(own);
  const figures = figuresOf(own, LEAST_PROBABILITY);
  chosen.push(figures);
  const isLow = figures.precision < LEAST_PRECISION || figures.mixed < LEAST_MIXED;
  isBelow ||= isLow;
  console.log(
    `${catalog.padEnd(24)} precision ${figures.precision.toFixed(3)} of ${figures.predicted} (≥ ${LEAST_PRECISION})  with as many messages whose skill is missing ${figures.mixed.toFixed(3)} (≥ ${LEAST_MIXED})  coverage ${figures.coverage.toFixed(3)}  ${isLow ? "BELOW" : "ok"}`,
  );
}
console.log(calibrationTable());
const fitted = fitLogistic(
  cases.map(({ row }) => row),
  cases.map(({ right }) => right),
).map((value) => Number(value.toFixed(3)));
const shipped = [CALIBRATION.constant, CALIBRATION.score, CALIBRATION.margin, CALIBRATION.named];
if (values.write) await write();
else if (JSON.stringify(fitted) !== JSON.stringify(shipped)) {
  console.log(`The shipped coefficients ${shipped.join(" ")} differ from ${fitted.join(" ")}. Run with --write.`);
  isBelow = true;
}
process.exitCode = isBelow ? 1 : 0;

/** Catalogs of several sizes. Names and descriptions are those that a conversation lists. */
function catalogsOf() {
  const read = ({ name, description }) => ({ name, description: listedDescription(description) });
  const all = skills.map(read);
  const few = new Set(wanted.filter((_, n) => n % 4 === 0));
  const others = (seed) =>
    distractors.filter((_, n) => (n * (7 + 2 * seed) + seed) % distractors.length < LISTED - all.length).map(read);
  return {
    [`${few.size} skills`]: all.filter(({ name }) => few.has(name)),
    [`${all.length} skills`]: all,
    [`${LISTED} skills, first`]: [...all, ...others(1)],
    [`${LISTED} skills, second`]: [...all, ...others(2)],
  };
}

/** Each prompt in each catalog, with its skill and without it: then every prediction is wrong. */
function casesOf() {
  return Object.entries(catalogs).flatMap(([catalog, members]) =>
    prompts.flatMap(({ skill, prompt }) => {
      const without = members.filter(({ name }) => name !== skill);
      const ways = without.length < members.length ? [members, without] : [without];
      return ways.flatMap((listed) => {
        const first = firstSkill(listed, prompt);
        if (first === null) return [];
        return {
          ...{ catalog, fold: wanted.indexOf(skill) % FOLDS, isThere: listed === members && ways.length === 2 },
          right: first.skill.name === skill ? 1 : 0,
          row: [1, Math.log(first.score), first.margin, first.named],
        };
      });
    }),
  );
}

/** The probability of each case with coefficients that were fitted to other skills. */
function heldOut() {
  return Array.from({ length: FOLDS }, (_, fold) => {
    const others = cases.filter((one) => one.fold !== fold);
    const weights = fitLogistic(
      others.map(({ row }) => row),
      others.map(({ right }) => right),
    );
    return cases.filter((one) => one.fold === fold).map((one) => ({ ...one, probability: logistic(weights, one.row) }));
  }).flat();
}

/** `mixed`: the precision if as many messages have no skill in the catalog as have one. */
function figuresOf(own, threshold) {
  const there = own.filter(({ isThere }) => isThere);
  const absent = own.filter(({ isThere }) => !isThere);
  const predicted = there.filter(({ probability }) => probability >= threshold);
  const hits = predicted.filter(({ right }) => right === 1).length;
  const wrong = absent.filter(({ probability }) => probability >= threshold).length;
  return {
    predicted: predicted.length,
    precision: predicted.length === 0 ? 1 : hits / predicted.length,
    mixed: hits === 0 ? 1 : hits / (predicted.length + (wrong * there.length) / absent.length),
    coverage: hits / there.length,
  };
}

function curveOf(own) {
  return Array.from({ length: 45 }, (_, n) => 0.9 - n * 0.02).map((threshold) => figuresOf(own, threshold));
}

/** How often predictions of a probability are right. */
function calibrationTable() {
  const edges = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.01];
  return edges
    .slice(1)
    .map((until, n) => {
      const own = held.filter(({ probability }) => probability >= edges[n] && probability < until);
      const mean = own.reduce((sum, { probability }) => sum + probability, 0) / own.length;
      const right = own.reduce((sum, one) => sum + one.right, 0) / own.length;
      return `probability ${edges[n]} to ${Math.min(1, until)}: ${own.length} cases, mean ${mean.toFixed(3)}, right ${right.toFixed(3)}`;
    })
    .join("\n");
}

async function write() {
  const [constant, score, margin, named] = fitted;
  const text = `// Generated by \`npm run bench:predict -- <prompts> --write\`. Do not edit.

/** Coefficients of the logistic regression: constant, logarithm of the score, margin, and named part of the name. */
export const CALIBRATION = { constant: ${constant}, score: ${score}, margin: ${margin}, named: ${named} } as const;
`;
  await writeFile(path.join(root, "src/domain/conversation/prediction/calibration.ts"), text);
  const plot = drawPlot(lines, chosen);
  await writeFile(path.join(root, "docs/pictures/prediction.svg"), plot);
  console.log("wrote the coefficients and docs/pictures/prediction.svg");
}
