// `npm run bench:search -- <file>`: measures how well search finds the right skill, over HTTP on a gateway that publishes the skills. The
// file is JSON, gzipped or not: `{ skills, distractors: [{ name, description, body }], prompts: [{ skill, prompt }] }`; each prompt belongs
// to one skill. Exits with 1 if a figure is below its bound. First it validates the weights of the index across prompts and catalogs,
// offline. `--weights` runs only this part, and `--more` adds skills to the largest catalog.

import { readFile } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import { strToU8, zipSync } from "fflate";
import { importTypeScript } from "../scripts/build/bundle.mjs";
import { startGateway } from "./gateway.mjs";
import { crossValidate } from "./search/cross-validation.mjs";

const USAGE =
  "usage: npm run bench:search -- <retrieval.json or retrieval.json.gz> [--more <folder of ZIPs>] [--weights]";
const SHOWN = 5;
/** The bound for prompts that were not used to choose the weights, in the catalog of the skills that have prompts. */
const UNSEEN_RECALL = 0.83;
const DEPTH = 10;
/** The user that publishes public skills and the user that searches. */
const ADMIN = null;
const ASKER = "asker";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { more: { type: "string" }, weights: { type: "boolean", default: false } },
});
const [given, ...rest] = positionals;
if (given === undefined || rest.length > 0) {
  console.error(USAGE);
  process.exit(2);
}
const from = (file) => path.resolve(process.env.INIT_CWD ?? ".", file);
const { skills, distractors, prompts } = await readCorpus(from(given));
const { SEARCH_WEIGHTS } = await importTypeScript("src/domain/catalog/search.ts");
const more = values.more === undefined ? undefined : from(values.more);
const validated = await crossValidate({ skills, distractors, prompts }, more, SEARCH_WEIGHTS);
console.log(validated.text);
const isUnseenBelow = validated.unseenRecall < UNSEEN_RECALL;
console.log(`R@5 of unseen prompts ≥ ${UNSEEN_RECALL} ${isUnseenBelow ? "BELOW" : "ok"}`);
if (values.weights) process.exit(isUnseenBelow ? 1 : 0);
const halves = split(prompts);
const folders = foldersOf([...skills, ...distractors]);
console.log(`${skills.length} skills, ${distractors.length} others, ${prompts.length} prompts`);
const gateway = await startGateway();
const folderOf = new Map(skills.map((skill) => [skill.name, folders.get(skill)]));
let isBelow = false;
try {
  await publish(skills, () => []);
  tell("R@5 without example prompts", await ranks(prompts), 0.83);
  tell("R@5 of the even prompts without example prompts", await ranks(halves.even));
  await tellOffered(prompts, 0.85);
  await publish(skills, ({ name }) => halves.odd.get(name) ?? []);
  tell("R@5 of the even prompts, the odd ones indexed", await ranks(halves.even));
  await publish(distractors, () => []);
  tell("R@5 of the even prompts, the odd ones indexed, all skills", await ranks(halves.even));
  await publish(skills, () => []);
  tell("R@5 without example prompts, all skills", await ranks(prompts), 0.73);
  tell("R@5 of the even prompts without example prompts, all skills", await ranks(halves.even));
} finally {
  await gateway.stop();
}
process.exitCode = isBelow || isUnseenBelow ? 1 : 0;

async function readCorpus(file) {
  const bytes = await readFile(file);
  return JSON.parse((bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString());
}

/** The first, third … prompt of each skill, and the others. */
function split(all) {
  const odd = new Map();
  const even = [];
  for (const [skill, own] of Map.groupBy(all, (prompt) => prompt.skill)) {
    odd.set(
      skill,
      own.filter((_, n) => n % 2 === 0).map(({ prompt }) => prompt),
    );
    even.push(...own.filter((_, n) => n % 2 === 1));
  }
  return { odd, even };
}

/** Publishes public skills through the normal API. An existing skill gains another version. */
async function publish(all, examplesOf) {
  for (const skill of all) {
    const folder = folders.get(skill);
    const examples = examplesOf(skill);
    const text = `---\nname: ${JSON.stringify(skill.name)}\ndescription: ${JSON.stringify(skill.description)}\n---\n\n${skill.body}\n`;
    const evals = { skill_name: skill.name, evals: examples.map((prompt, id) => ({ id, prompt })) };
    const files = { "SKILL.md": text, ...(examples.length === 0 ? {} : { "evals/evals.json": JSON.stringify(evals) }) };
    const zip = zipSync(
      Object.fromEntries(Object.entries(files).map(([name, content]) => [`${folder}/${name}`, strToU8(content)])),
    );
    const answer = await gateway.send(await gateway.upload(ADMIN, zip, "skill.zip", "/api/v1/kinds/skills/public"));
    const { metadata, status } = JSON.parse(answer.text);
    // Content that was published before is an existing version, and the version published last is current.
    if (answer.status === 200) {
      const route = `/api/v1/kinds/skills/${metadata.labels.id}/versions/${status.version_id}/activate`;
      await gateway.call(ADMIN, "POST", route);
    }
  }
}

/** Returns names that are valid for a folder. A name that is not becomes the skill's title, as for any author. */
function foldersOf(all) {
  const taken = new Set();
  return new Map(
    all.map((skill) => {
      const plain =
        skill.name
          .replaceAll(/[^A-Za-z0-9]+/g, "-")
          .replaceAll(/^-+|-+$/g, "")
          .slice(0, 60)
          .toLowerCase() || "skill";
      const folder = taken.has(plain) ? `${plain}-${taken.size}` : plain;
      taken.add(folder);
      return [skill, folder];
    }),
  );
}

/** Returns the rank of each prompt's skill in the answer; `Infinity` if it is not among the first. */
async function ranks(asked) {
  const places = [];
  for (const { skill, prompt } of asked) {
    const query = new URLSearchParams({ q: prompt, limit: String(DEPTH) });
    const { items } = await gateway.call(ASKER, "GET", `/api/v1/kinds/skills?${query}`);
    const at = items.findIndex(({ metadata }) => metadata.name === folderOf.get(skill));
    places.push(at < 0 ? Number.POSITIVE_INFINITY : at + 1);
  }
  return places;
}

function tell(name, places, bound) {
  const within = (depth) => places.filter((place) => place <= depth).length / places.length;
  print(name, within(SHOWN), `R@1 ${within(1).toFixed(3)}  R@${DEPTH} ${within(DEPTH).toFixed(3)}`, bound);
}

function print(name, figure, more, bound) {
  if (bound !== undefined && figure < bound) isBelow = true;
  const verdict = bound === undefined ? "" : figure < bound ? `≥ ${bound} BELOW` : `≥ ${bound} ok`;
  console.log(`${name.padEnd(60)} ${figure.toFixed(3)}  ${more.padEnd(24)} ${verdict}`.trimEnd());
}

/** Reports how often the model receives the right skill: in the list of its prompt, or in the answer of `find_skill`. */
async function tellOffered(asked, bound) {
  const route = "/api/v1/conversations/bench-search";
  const { prompt } = await gateway.call(ASKER, "POST", `${route}/turns`, { conversation: { delivery: "auto" } });
  const listed = new Set([...prompt.system.matchAll(/^- \*\*(.+?)\*\*:/gm)].map(([, name]) => name));
  let found = 0;
  for (const [n, { skill, prompt: query }] of asked.entries()) {
    const calls = [{ id: `call_${n}`, name: "find_skill", arguments: { query } }];
    const { results } = await gateway.call(ASKER, "POST", `${route}/tool-calls`, { calls });
    const names = results[0].structuredContent.skills.map(({ name }) => name);
    const folder = folderOf.get(skill);
    if (listed.has(folder) || names.includes(folder)) found++;
  }
  print(
    "in the list, or in the first five of find_skill",
    found / asked.length,
    `${listed.size} skills in the list`,
    bound,
  );
}
