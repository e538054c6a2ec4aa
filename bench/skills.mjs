// Skills for measurements: ZIPs of typical skills, and rows of large catalogs.

import { readFile } from "node:fs/promises";
import path from "node:path";
import { strToU8, zipSync } from "fflate";
import { importTypeScript } from "../scripts/build/bundle.mjs";
import { prepareAssets } from "../scripts/build/static.mjs";
import { root } from "../scripts/kit/files.mjs";

/** The tokenizer's ranks, written by `scripts/build/tokens.mjs`. */
export const RANKS = await readRanks();
/** Common words in the order of their frequency, as estimated from the tokenizer's ranks. */
const WORDS = RANKS.tokens
  .filter((token) => /^ [a-z]{3,12}$/.test(token))
  .slice(0, 3_000)
  .map((token) => token.trim());

/** Returns a ZIP of one skill. `files` are next to SKILL.md; `frontmatter` contains further lines of YAML. */
export function skillZip({ name, description, body, files = {}, version, frontmatter = "" }) {
  const label = version === undefined ? "" : `version: "${version}"\n`;
  const text = `---\nname: ${name}\ndescription: "${description}"\n${label}${frontmatter === "" ? "" : `${frontmatter}\n`}---\n\n${body}\n`;
  return zipSync({
    [`${name}/SKILL.md`]: strToU8(text),
    ...Object.fromEntries(Object.entries(files).map(([path, content]) => [`${name}/${path}`, content])),
  });
}

/** Returns a text of about `characters` characters, the same for the same seed. */
export function prose(characters, seed) {
  const random = randomFrom(seed);
  let text = "";
  for (let n = 1; text.length < characters; n++) {
    // One word in eight is not a single token.
    const word = n % 8 === 0 ? pick(random) + pick(random) : pick(random);
    text += `${word}${n % 12 === 0 ? ".\n" : " "}`;
  }
  return text.slice(0, characters);
}

/** Publishes `count` ordinary skills (a body of 4 KB each) for a user, or as public skills through another route. */
export async function publishSkills(gateway, user, count, files = () => ({}), route = undefined) {
  for (let n = 0; n < count; n++) {
    const name = `skill-${String(n).padStart(2, "0")}`;
    const description = prose(120, n).replaceAll(/\s+/g, " ").trim();
    const zip = skillZip({ name, description, body: prose(4_000, 1_000 + n), files: files(n) });
    await gateway.send(await gateway.upload(user, zip, undefined, route));
  }
}

/**
 * Writes the rows of `count` skills of a user straight into D1, each like a published one and with instructions of its own. A skill published the usual way is
 * the template, so that the rows have every column that a publish fills.
 * @returns {Promise<{ name: string, description: string }[]>}
 */
export async function seedCatalog(gateway, user, count) {
  const { indexedText } = await importTypeScript("src/domain/catalog/search.ts");
  await publishSkills(gateway, user, 1);
  const scope = `user:${user}`;
  const skill = await gateway.db.prepare("SELECT * FROM skills WHERE scope = ?").bind(scope).first();
  const version = await gateway.db.prepare("SELECT * FROM versions WHERE id = ?").bind(skill.version_id).first();
  const made = [];
  // A value in D1 has at most 2 MB.
  for (let start = 1; start < count; start += 100) {
    const rows = [];
    for (let n = start; n < Math.min(start + 100, count); n++) {
      const name = `${WORDS[n % 50]}-${String(n).padStart(5, "0")}`;
      const description = prose(120, n).replaceAll(/\s+/g, " ").trim();
      const instructions = prose(4_000, 20_000 + n);
      const text = {
        scope,
        name,
        displayName: null,
        description,
        tags: [],
        whenToUse: null,
        examples: [],
        instructions,
      };
      rows.push({ name, description, instructions, indexed: indexedText(text), seed: `${user}-${n}` });
    }
    const json = JSON.stringify(rows);
    const fill = (table, template, columns) => insertLike(gateway.db, table, template, columns, json);
    await gateway.db.batch([
      fill("skills", skill, {
        seq: null,
        id: "'skl_' || (row.value ->> 'seed')",
        name: "row.value ->> 'name'",
        folded: "row.value ->> 'name'",
        version_id: "'ver_' || (row.value ->> 'seed')",
      }),
      fill("versions", version, {
        id: "'ver_' || (row.value ->> 'seed')",
        skill_id: "'skl_' || (row.value ->> 'seed')",
        description: "row.value ->> 'description'",
        instructions: "row.value ->> 'instructions'",
      }),
      gateway.db
        .prepare(`INSERT INTO skill_search (rowid, scope, name, description, tags, examples, body)
          SELECT seq, row.value ->> '$.indexed.scope', row.value ->> '$.indexed.name', row.value ->> '$.indexed.description', '', '',
            row.value ->> '$.indexed.body' FROM json_each(?1) AS row CROSS JOIN skills ON skills.id = 'skl_' || (row.value ->> 'seed')`)
        .bind(json),
      gateway.db.prepare("UPDATE counters SET value = value + 1 WHERE scope = ?").bind(scope),
    ]);
    made.push(...rows.map(({ name, description }) => ({ name, description })));
  }
  return made;
}

/** Random numbers below 1, the same for the same seed (mulberry32). */
export function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A statement that copies a row once for each element of a JSON array, with some columns replaced. */
function insertLike(db, table, template, columns, json) {
  const names = Object.keys(template).filter((name) => columns[name] !== null);
  const kept = names.filter((name) => columns[name] === undefined);
  const values = names.map((name) => columns[name] ?? `?${kept.indexOf(name) + 2}`);
  return db
    .prepare(`INSERT INTO ${table} (${names.join(", ")}) SELECT ${values.join(", ")} FROM json_each(?1) AS row`)
    .bind(json, ...kept.map((name) => template[name]));
}

function pick(random) {
  return WORDS[Math.floor(WORDS.length * random() ** 3)];
}

async function readRanks() {
  await prepareAssets();
  return JSON.parse(await readFile(path.join(root, "public", "tokens", "o200k_base.json"), "utf8"));
}
