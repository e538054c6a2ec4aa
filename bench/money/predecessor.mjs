// Prices Wegent's example: ten skills, two of them used in each of ten turns. `npm run bench` has a row with its token count.

import { CASES, exampleSkills } from "../rows/tokens.mjs";
import { skillZip } from "../skills.mjs";
import { drive } from "./drive.mjs";
import { bill, pasting } from "./price.mjs";
import { thousands, titled } from "./print.mjs";

const TURNS = 10;
const TALK = 650;
/** The number of skills, and the size of each as a multiple of the example's 200 tokens. Larger catalogs show where the savings begin. */
const CATALOGS = [
  { skills: 10, times: 1 },
  { skills: 24, times: 1 },
  { skills: 10, times: 4 },
  { skills: 14, times: 4 },
];
const DELIVERIES = ["system", "auto"];

/** The skills of each catalog. */
export function exampleCatalogs(count) {
  return CATALOGS.map(({ skills, times }) => ({
    size: `${skills} of ${200 * times}`,
    skills: exampleSkills(count, times, skills),
  }));
}

/** Drives the three conversations with each catalog. */
export async function driveExample(gateway, catalogs) {
  const driven = [];
  for (const { size, skills } of catalogs) {
    const user = `example-${size.replaceAll(" ", "-")}`;
    for (const skill of skills) await gateway.send(await gateway.upload(user, skillZip(skill)));
    for (const [n, { what, use, retention_turns }] of CASES.entries()) {
      const wanted = (turn) => use(skills, turn - 1);
      const plan = { user, format: "openai", turns: TURNS, wanted };
      const shapes = {};
      for (const delivery of DELIVERIES) {
        const settings = { delivery, retention_turns, spec: { skills: skills.map(({ name }) => name) } };
        shapes[delivery] = await drive(gateway, { ...plan, id: `${n}-${delivery}`, settings });
      }
      driven.push({ size, what, shapes });
    }
  }
  return driven;
}

/** @returns {{ text: string, saved: number }} `saved`: by the first conversation with the example's own skills, under `auto` */
export function billExample(driven, { price, model }, count) {
  const cell = { turns: TURNS, talk: TALK, pause: 0, price };
  const rows = driven.map(({ size, what, shapes }) => {
    const paste = bill(pasting(shapes.auto), cell, count);
    const ways = DELIVERIES.map((delivery) => bill(shapes[delivery], cell, count));
    const cells = (field) => [thousands(paste[field]), ...ways.map((way) => against(way, paste, field))];
    return { saved: 1 - ways[1].billed / paste.billed, cells: [size, what, ...cells("sent"), ...cells("billed")] };
  });
  const head = (what) => [`pasting ${what}`, "`system`", "`auto`"];
  return {
    text: titled(
      `The predecessor's example in ${TURNS} turns of ${TALK} tokens, ${model}: tokens of every model step, and what is saved against pasting`,
      ["skills", "conversation", ...head("sends"), ...head("is billed")],
      rows.map(({ cells }) => cells),
    ),
    saved: rows[0].saved,
  };
}

function against(way, paste, field) {
  return `${thousands(way[field])} (${((1 - way[field] / paste[field]) * 100).toFixed(1)} %)`;
}
