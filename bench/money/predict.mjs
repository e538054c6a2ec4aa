// `npm run bench:money -- --predict <prompts>`: what predictive loading changes of the bill. The file is that of `bench:search`: the users'
// messages are its prompts, and each needs the skill that it belongs to. Conversations of 16 turns take the prompts in their order.

import { readFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import { strToU8, zipSync } from "fflate";
import { drive } from "./drive.mjs";
import { bill } from "./price.mjs";
import { thousands, titled } from "./print.mjs";

const TURNS = 16;
const TALK = [650, 3_000];
const MODELS = { "gpt-5.4": "openai", "claude-sonnet-5": "anthropic" };
const USER = "predict";
/** Characters of the instructions of a skill. */
const BODY = 12_000;

/**
 * Drives all conversations without predictions and with them.
 * @returns {Promise<{ catalog: string, model: string, off: object[], on: object[], right: number, wrong: number }[]>} shapes by way
 */
export async function drivePredictions(gateway, file) {
  const bytes = await readFile(file);
  const { skills, prompts } = JSON.parse((bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString());
  const names = await publish(gateway, skills);
  const all = [...names.values()];
  const half = all.filter((_, n) => n % 2 === 0);
  const catalogs = { "every message needs a skill": all, "half of the skills are missing": half };
  const driven = [];
  for (const [n, [catalog, listed]] of Object.entries(catalogs).entries())
    for (const [model, format] of Object.entries(MODELS)) {
      const group = { catalog, model, off: [], on: [], right: 0, wrong: 0 };
      for (let first = 0; first + TURNS <= prompts.length; first += TURNS) {
        const skillOf = (turn) => names.get(prompts[first + turn - 1].skill);
        const plan = (predict) => ({
          ...{ user: USER, id: `${n}-${model}-${first}-${predict}`, format, model, turns: TURNS },
          settings: { predict, spec: { skills: listed } },
          wanted: (turn) => [skillOf(turn)].filter((name) => listed.includes(name)),
          message: (turn) => prompts[first + turn - 1].prompt,
        });
        group.off.push(await drive(gateway, plan("off")));
        const on = await drive(gateway, plan("on"));
        group.on.push(on);
        for (const { turn, name } of on.predicted) group[skillOf(turn) === name ? "right" : "wrong"]++;
      }
      driven.push(group);
    }
  return driven;
}

/** Prices the conversations. A cell is all conversations of a catalog with a model and a length of messages. */
export function predictionCells(driven, prices, count) {
  return driven.flatMap(({ catalog, model, off, on, right, wrong }) =>
    TALK.map((talk) => {
      const { price } = prices.find((one) => one.model === model);
      const cost = (shape) => bill(shape, { turns: TURNS, talk, pause: 0, price }, count);
      const pairs = off.map((shape, n) => [cost(shape), cost(on[n])]);
      const sum = (way, field) => pairs.reduce((total, pair) => total + pair[way][field], 0);
      const ratios = pairs.map(([before, after]) => after.billed / before.billed);
      return {
        ...{ catalog, model, talk, right, wrong, off: sum(0, "billed"), on: sum(1, "billed") },
        requests: [sum(0, "requests"), sum(1, "requests")],
        worse: ratios.filter((ratio) => ratio > 1).length,
        range: [Math.min(...ratios), Math.max(...ratios)],
        conversations: pairs.length,
      };
    }),
  );
}

export function predictionTable(cells) {
  const rows = cells.map(({ catalog, model, talk, right, wrong, off, on, requests, worse, range, conversations }) => [
    ...[catalog, model, `${talk}`, `${right}`, `${wrong}`, requests.join(" → ")],
    ...[`${thousands(off)} → ${thousands(on)}`, (on / off).toFixed(4)],
    ...[`${worse} of ${conversations}`, range.map((ratio) => ratio.toFixed(3)).join(" to ")],
  ]);
  const head = ["catalog", "model", "talk", "right", "wrong", "requests", "billed", "ratio", "worse", "of each"];
  return titled("What `predict: on` changes, in conversations of 16 turns", head, rows);
}

/** No cell is billed more than without predictions, and there are right and wrong predictions. */
export function predictionGates(cells) {
  const worst = cells.reduce((a, b) => (b.on / b.off > a.on / a.off ? b : a));
  const right = cells.reduce((sum, cell) => sum + cell.right, 0);
  const wrong = cells.reduce((sum, cell) => sum + cell.wrong, 0);
  return [
    {
      gate: "predictions against none, every cell ≤ 1",
      worst: `${(worst.on / worst.off).toFixed(4)} (${worst.catalog}, ${worst.model}, talk ${worst.talk})`,
      ok: worst.on <= worst.off,
    },
    { gate: "right and wrong predictions were appended", worst: `${right}, ${wrong}`, ok: right > 0 && wrong > 0 },
  ];
}

/** Publishes the skills. Returns their valid names by those of the file. */
async function publish(gateway, skills) {
  const names = new Map();
  for (const { name, description, body } of skills) {
    const plain = name
      .replaceAll(/[^A-Za-z0-9]+/g, "-")
      .replaceAll(/^-+|-+$/g, "")
      .slice(0, 60)
      .toLowerCase();
    const text = `---\nname: ${plain}\ndescription: ${JSON.stringify(description)}\n---\n\n${body.slice(0, BODY)}\n`;
    const zip = zipSync({ [`${plain}/SKILL.md`]: strToU8(text) });
    const { status } = await gateway.send(await gateway.upload(USER, zip, `${plain}.zip`));
    if (status < 300) names.set(name, plain);
  }
  return names;
}
