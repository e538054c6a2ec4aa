// `npm run bench:search -- <file> --weights`: cross-validates the weights of the index's columns. Prompts are split into folds by skill.
// For each fold it reports the result with the weights that the other folds would choose, in catalogs of several sizes.

import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { unzipSync } from "fflate";
import { importTypeScript } from "../../scripts/build/bundle.mjs";
import { root } from "../../scripts/kit/files.mjs";
import { foundBy, indexOf, placeOf, stemmed } from "./ranking.mjs";

const FOLDS = 5;
/** Skills that are in some of the catalogs besides those that prompts are for. */
const SOME = 350;

/** Weights of name, description, tags, examples and body. */
const GRID = [4, 10].flatMap((name) =>
  [2, 4].flatMap((description) =>
    [1, 2, 4].flatMap((tags) => [0.5, 1, 2].map((body) => [name, description, tags, 2, body])),
  ),
);

/**
 * @param {{ skills: object[], distractors: object[], prompts: { skill: string, prompt: string }[] }} corpus
 * @param {string | undefined} folder of ZIPs of further skills
 * @param {number[]} shipped the weights of the gateway
 */
export async function crossValidate({ skills, distractors, prompts }, folder, shipped) {
  const { indexedText, queryTerms, SEARCH_LIMITS } = await importTypeScript(
    "src/domain/catalog/search.ts",
    "src/domain/limits.ts",
  );
  const others = [...distractors, ...(await builtins()), ...(folder === undefined ? [] : await zipped(folder))];
  const read = (skill) => ({ name: skill.name, columns: indexedText(textOf(skill)) });
  const [own, more] = [skills.map(read), others.map(read)];
  const catalogs = {
    [`${own.length} skills`]: own,
    [`${own.length + SOME} skills, first sample`]: [...own, ...sample(more, 1)],
    [`${own.length + SOME} skills, second sample`]: [...own, ...sample(more, 2)],
    [`${own.length + more.length} skills`]: [...own, ...more],
  };
  const queries = stemmed(prompts.map(({ prompt }) => queryTerms(prompt).terms.map((term) => term.slice(1, -1))));
  const names = [...new Set(prompts.map(({ skill }) => skill))];
  const foldOf = (skill) => names.indexOf(skill) % FOLDS;
  const folds = prompts.map(({ skill }) => foldOf(skill));

  const results = {};
  for (const [catalog, members] of Object.entries(catalogs)) {
    const index = indexOf(members);
    const found = queries.map((terms) => foundBy(index, terms, SEARCH_LIMITS.rows));
    const places = (weights) => prompts.map(({ skill }, n) => placeOf(found[n], skill, weights));
    results[catalog] = { shipped: places(shipped), grid: GRID.map(places) };
  }
  return report(results, folds);
}

function report(results, folds) {
  const within = (places, isIn, depth) => {
    const chosen = places.filter((_, n) => isIn(folds[n]));
    return chosen.filter((place) => place <= depth).length / chosen.length;
  };
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const every = Array.from({ length: FOLDS }, (_, fold) => fold);
  const best = every.map((fold) => {
    const worth = (n) =>
      mean(
        Object.values(results).flatMap(({ grid }) =>
          [1, 5].map((depth) => within(grid[n], (of) => of !== fold, depth)),
        ),
      );
    return GRID.map((_, n) => n).reduce((a, b) => (worth(b) > worth(a) ? b : a));
  });
  const lines = [`weights that the other folds choose: ${best.map((n) => GRID[n].join("/")).join("  ")}`];
  /** R@5 of the smallest catalog, with weights that its prompts did not choose. */
  let unseenRecall = null;
  for (const [catalog, { shipped, grid }] of Object.entries(results))
    for (const depth of [1, 5]) {
      const unseen = every.map((fold) => within(grid[best[fold]], (of) => of === fold, depth));
      const own = every.map((fold) => within(shipped, (of) => of === fold, depth));
      const figures = (values) =>
        `${mean(values).toFixed(3)} (${Math.min(...values).toFixed(3)} to ${Math.max(...values).toFixed(3)})`;
      lines.push(`${catalog.padEnd(36)} R@${depth}  chosen by others ${figures(unseen)}  shipped ${figures(own)}`);
      if (depth === 5) unseenRecall ??= mean(unseen);
    }
  return { text: lines.join("\n"), unseenRecall };
}

/** Some of them, the same each time. */
function sample(all, seed) {
  const step = 7 + 2 * seed;
  return all.filter((_, n) => (n * step + seed) % all.length < SOME);
}

async function builtins() {
  const folder = path.join(root, "skills");
  const names = await readdir(folder);
  return Promise.all(
    names.map(async (name) => skillIn(name, await readFile(path.join(folder, name, "SKILL.md"), "utf8"))),
  );
}

async function zipped(folder) {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".zip"));
  const found = await Promise.all(
    files.map(async (file) => {
      const entries = unzipSync(await readFile(path.join(folder, file)), {
        filter: ({ name }) => /(^|\/)SKILL\.md$/.test(name),
      });
      const [text] = Object.values(entries);
      return text === undefined ? [] : [skillIn(file.replace(/\.zip$/, ""), new TextDecoder().decode(text))];
    }),
  );
  return found.flat();
}

function skillIn(name, text) {
  const [, frontmatter = "", body = text] = /^---\r?\n([\s\S]*?)\r?\n---\r?\n([\s\S]*)$/.exec(text) ?? [];
  const description = /^description:\s*(.*(?:\n\s+.*)*)/m.exec(frontmatter)?.[1] ?? "";
  return { name, description, body };
}

function textOf({ name, description, body }) {
  return {
    ...{ scope: "public", name, displayName: null, description, tags: [], whenToUse: null, examples: [] },
    instructions: body,
  };
}
