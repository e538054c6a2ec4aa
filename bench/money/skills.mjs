// Contains the catalogs of `npm run bench:money`: the five built-in skills of commit 85542a2, those with 28 more, and those among 1 500.

import { readFile } from "node:fs/promises";
import { strToU8, zipSync } from "fflate";
import { prose, seedCatalog, skillZip } from "../skills.mjs";

const BUILTIN = new URL("builtin-85542a2.json", import.meta.url);
const OWN = 28;
const MANY = 1_500;
/** Length of the instructions in characters, on average 2 800 tokens, as in the measured real skills. */
const BODIES = [4_200, 8_500, 13_000, 20_000, 25_000];

/**
 * Publishes the catalogs.
 * @returns {Promise<{ name: string, user: string, skills: string[] }[]>} `skills`: the skills that a conversation can load, in an order
 * that changes with every load
 */
export async function publishCatalogs(gateway) {
  const builtin = await publishBuiltin(gateway);
  const many = { name: `${MANY} skills`, user: "many" };
  await seedCatalog(gateway, many.user, MANY - OWN - builtin.length);
  const thirty = { name: `${OWN + builtin.length} skills`, user: "thirty" };
  const own = Array.from({ length: OWN }, (_, n) => ownSkill(n));
  for (const { user } of [thirty, many]) {
    for (const skill of own) await gateway.send(await gateway.upload(user, skillZip(skill)));
  }
  const all = [...builtin, ...own.map(({ name }) => name)];
  return [
    { name: `${builtin.length} skills`, user: "five", skills: builtin },
    { ...thirty, skills: all },
    { ...many, skills: all },
  ];
}

/** Small ones: all instructions together are fewer tokens than the gateway loads one by one. */
export async function publishSmall(gateway) {
  const skills = Array.from({ length: 5 }, (_, n) => ownSkill(n, 1_200));
  for (const skill of skills) await gateway.send(await gateway.upload("small", skillZip(skill), "skill.zip"));
  return skills.map(({ name }) => name);
}

async function publishBuiltin(gateway) {
  const files = JSON.parse(await readFile(BUILTIN, "utf8"));
  const names = [...new Set(Object.keys(files).map((path) => path.split("/")[0]))];
  // Other skills depend on markdown-style, so it is first.
  const order = names.toSorted((a, b) => Number(b === "markdown-style") - Number(a === "markdown-style"));
  for (const name of order) {
    const own = Object.entries(files).filter(([path]) => path.startsWith(`${name}/`));
    const zip = zipSync(Object.fromEntries(own.map(([path, text]) => [path, strToU8(text)])));
    const upload = await gateway.upload(null, zip, `${name}.zip`);
    await gateway.send({ ...upload, route: "/api/v1/kinds/skills/public" });
  }
  return order.toReversed();
}

function ownSkill(n, characters = BODIES[n % BODIES.length]) {
  const name = `${["chart", "letter", "query", "image", "travel", "budget", "garden"][n % 7]}-helper-${n}`;
  const description = prose(150, 500 + n)
    .replaceAll(/\s+/g, " ")
    .trim();
  return { name, description, body: prose(characters, 700 + n) };
}
