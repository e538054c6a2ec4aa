// Makes the static files that git does not hold: the tokenizer's ranks, the browser client, the demo page. Run by wrangler's
// [build], by `npm start` and before the tests; with nothing to do it only reads.

import { randomUUID } from "node:crypto";
import { mkdir, open, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { prepareClient } from "./client.mjs";
import { prepareDemo } from "./demo.mjs";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const ENCODING = "o200k_base";
/** Raised whenever `ranksFile` writes something else, so that a file of an older form is made anew. */
const FORM = 1;

/**
 * Makes whatever is missing or out of date.
 * @param {string} folder where static files live
 * @returns {Promise<string[]>} what was written
 */
export async function prepareAssets(folder = path.join(root, "public")) {
  const parts = { [`tokens/${ENCODING}.json`]: prepareRanks, "client/": prepareClient, "demo/": prepareDemo };
  const written = await Promise.all(
    Object.entries(parts).map(async ([name, prepare]) => ((await prepare(folder)) ? [name] : [])),
  );
  return written.flat();
}

async function prepareRanks(folder) {
  const stamp = `js-tiktoken@${await tiktokenVersion()}/${FORM}`;
  const file = path.join(folder, "tokens", `${ENCODING}.json`);
  if (await isCurrent(file, stamp)) return false;
  const { default: ranks } = await import(`js-tiktoken/ranks/${ENCODING}`);
  await writeAtomically(file, ranksFile(ranks, stamp), () => isCurrent(file, stamp));
  return true;
}

/** The package exports no package.json, so it is found beside what it does export. */
async function tiktokenVersion() {
  const entry = import.meta.resolve("js-tiktoken/lite");
  return JSON.parse(await readFile(new URL("../package.json", entry), "utf8")).version;
}

/** The stamp stands first in the file, and a file is only ever moved here whole: its first bytes tell all. */
async function isCurrent(file, stamp) {
  const expected = head(stamp);
  const handle = await open(file).catch((error) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  if (handle === null) return false;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(expected.length), 0, expected.length, 0);
    return buffer.toString("latin1", 0, bytesRead) === expected;
  } finally {
    await handle.close();
  }
}

const head = (stamp) => `{"stamp":${JSON.stringify(stamp)},`;

/**
 * Tokens in the order of their ranks, each a string with one character (0 to 255) per byte: the Worker puts them into a map
 * as they are, in a fifth of the time and memory that js-tiktoken's own form takes there. Special tokens are left out: in a
 * skill they are plain text.
 */
function ranksFile({ pat_str, bpe_ranks }, stamp) {
  const tokens = [];
  for (const line of bpe_ranks.split("\n").filter(Boolean)) {
    const [, first, ...encoded] = line.split(" ");
    encoded.forEach((token, i) => {
      tokens[Number(first) + i] = Buffer.from(token, "base64").toString("latin1");
    });
  }
  if (tokens.includes(undefined))
    throw new Error(`The ranks of ${ENCODING} have a gap; the file's form cannot hold that.`);
  const body = JSON.stringify({ encoding: ENCODING, pattern: pat_str, tokens });
  return head(stamp) + body.slice(1);
}

/** Two may run at once: each writes its own file and moves it into place; the content is the same, so either may win. */
async function writeAtomically(file, content, isDone) {
  await mkdir(path.dirname(file), { recursive: true });
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    await writeFile(temporary, content);
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    // Windows refuses to replace a file that the other one is just reading.
    if (!(await isDone())) throw error;
  }
}

const script = process.argv[1] === undefined ? "" : pathToFileURL(await realpath(process.argv[1])).href;
if (script === import.meta.url) {
  for (const name of await prepareAssets()) console.log(`wrote public/${name}`);
}
