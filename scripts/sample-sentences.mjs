// Prints random sentences of one area, for judging the style by reading.

import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { isMain, root } from "./kit/files.mjs";
import { readOptions } from "./kit/options.mjs";
import { fail, Refusal } from "./kit/refusal.mjs";

const CODE = /^(?:src|sdk|console|scripts|bench|test)\/.*\.(?:ts|tsx|mjs)$/;

/** The files of each area, and how to find the sentences in a file. */
const AREAS = {
  docs: { isIn: (name) => /^(?:[A-Z_]+\.md|docs\/.*\.md|skills\/.*\.md)$/.test(name), textsOf: paragraphsOf },
  comments: { isIn: (name) => CODE.test(name) && !name.includes("/generated/"), textsOf: commentsOf },
  errors: { isIn: (name) => /^src\/.*\.ts$/.test(name), textsOf: stringsOf },
  cli: { isIn: (name) => /^(?:sdk\/cli|scripts)\/.*\.(?:ts|mjs)$/.test(name), textsOf: stringsOf },
};

const USAGE = `Use: npm run sample -- [${Object.keys(AREAS).join("|")}] [--count 40] [--seed 1] [--only <part of a path>]
  --seed   the same seed prints the same sentences of the same files; without it the sample is random`;

async function main() {
  const { values, positionals } = readOptions(
    USAGE,
    { count: { type: "string", default: "40" }, seed: { type: "string" }, only: { type: "string", default: "" } },
    { positionals: 1 },
  );
  const area = AREAS[positionals[0] ?? "docs"];
  const count = Number(values.count);
  const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(values.seed);
  if (area === undefined) throw new Refusal(`Unknown area '${positionals[0]}'.\n${USAGE}`);
  if (!Number.isInteger(count) || count < 1 || !Number.isInteger(seed))
    throw new Refusal(`--count or --seed is not a whole number.\n${USAGE}`);
  const names = filesOf(root).filter((name) => area.isIn(name) && name.includes(values.only));
  const found = [];
  for (const name of names) {
    const text = await readFile(path.join(root, name), "utf8");
    for (const { line, text: words } of area.textsOf(text))
      for (const sentence of sentencesOf(words)) found.push(`${name}:${line}  ${sentence}`);
  }
  for (const sentence of sampleOf(found, count, seed)) console.log(sentence);
  console.error(`${Math.min(count, found.length)} of ${found.length} sentences, seed ${seed}`);
}

/** The files that git has, as paths with `/`. */
function filesOf(folder) {
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: folder,
    encoding: "utf8",
  });
  return listed.split("\0").filter((name) => name !== "");
}

/** The paragraphs, list items and table cells of a Markdown text, without frontmatter and code blocks. */
export function paragraphsOf(text) {
  const found = [];
  const lines = text.split("\n");
  const begins = lines[0] === "---" ? lines.indexOf("---", 1) + 1 : 0;
  let isCode = false;
  let open = null;
  for (const [index, line] of lines.entries()) {
    if (index < begins) continue;
    if (/^ *```/.test(line)) isCode = !isCode;
    if (isCode || /^ *```|^ *<!--|^#|^\|[ :|-]+$|^!\[|^---$|^\s*$/.test(line)) open = null;
    else if (line.startsWith("|")) {
      open = null;
      for (const cell of line.split(/(?<!\\)\|/)) found.push({ line: index + 1, text: cell });
    } else if (open !== null && !/^ *(?:[-*]|\d+\.) /.test(line)) open.text += ` ${line}`;
    else {
      open = { line: index + 1, text: line.replace(/^ *(?:[-*]|\d+\.) /, "") };
      found.push(open);
    }
  }
  return found;
}

/** The comments of a source text; lines of `//` that follow each other are one. */
export function commentsOf(text) {
  const found = [];
  let open = null;
  for (const [index, line] of text.split("\n").entries()) {
    const [, single, block] = /^\s*(?:\/\/ ?(.*)|(?:\/\*\*?|\*) ?(.*?)(?:\*\/.*)?)$/.exec(line) ?? [];
    const words = single ?? block;
    if (words === undefined || words === "/") open = null;
    else if (open === null) {
      open = { line: index + 1, text: words };
      found.push(open);
    } else open.text += ` ${words}`;
  }
  return found;
}

/** The string and template literals of a source text that read like a sentence: a capital, blanks, a full stop. */
export function stringsOf(text) {
  return text.split("\n").flatMap((line, index) => {
    if (/^\s*(?:\/\/|\*|\/\*)/.test(line)) return [];
    const literals = line.matchAll(/"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g);
    return [...literals]
      .map(([, quoted, template]) => quoted ?? template ?? "")
      .filter((words) => /^[A-Z'$].*\s.*\./.test(words))
      .map((words) => ({ line: index + 1, text: words.replaceAll("\\n", " ") }));
  });
}

/** The sentences of a text with at least four words. */
export function sentencesOf(text) {
  return text
    .trim()
    .split(/(?<=[.!?][)"'*]{0,3}) +(?=[A-Z`*"'[(])/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence.split(/\s+/).length >= 4);
}

/** Draws `count` items without repetition; equal seeds draw equal items. */
export function sampleOf(items, count, seed) {
  const rest = [...items];
  const random = generator(seed);
  const drawn = [];
  while (drawn.length < count && rest.length > 0) drawn.push(...rest.splice(Math.floor(random() * rest.length), 1));
  return drawn;
}

/** The generator mulberry32: numbers from 0 to 1. */
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

if (isMain(import.meta.url)) main().catch(fail);
