// Writes the tokenizer's ranks, which the Worker reads as a static file, from js-tiktoken into public/tokens/.

import { open, readFile } from "node:fs/promises";
import path from "node:path";
import { writeWhole } from "../kit/files.mjs";

const ENCODING = "o200k_base";
/** Increase this number when the output of `ranksFile` changes, so that older files are built again. */
const FORM = 1;

/**
 * Writes the ranks, unless they are there and current.
 * @param {string} folder where static files live
 * @returns {Promise<boolean>} whether something was written
 */
export async function prepareTokens(folder) {
  const stamp = `js-tiktoken@${await tiktokenVersion()}/${FORM}`;
  const file = path.join(folder, "tokens", `${ENCODING}.json`);
  if (await isCurrent(file, stamp)) return false;
  const { default: ranks } = await import(/* @vite-ignore */ `js-tiktoken/ranks/${ENCODING}`);
  await writeWhole(file, ranksFile(ranks, stamp)).catch(async (error) => {
    // Two processes can write at the same time, and Windows refuses to replace a file while another process reads it. Both contents are the
    // same.
    if (!(await isCurrent(file, stamp))) throw error;
  });
  return true;
}

/** The package does not export package.json, so it is found next to an exported file. */
async function tiktokenVersion() {
  const entry = import.meta.resolve("js-tiktoken/lite");
  return JSON.parse(await readFile(new URL("../package.json", entry), "utf8")).version;
}

/** The file begins with the stamp and is always moved here complete, so its first bytes are enough for the check. */
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
 * Tokens in the order of their ranks, each a string with one character (0 to 255) per byte. The Worker copies them into a map unchanged, in
 * a fifth of the time and memory that js-tiktoken's own format takes. Special tokens are left out: in a skill they are plain text.
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
    throw new Error(`The ranks of ${ENCODING} have a gap, which the file format does not support.`);
  const body = JSON.stringify({ encoding: ENCODING, pattern: pat_str, tokens });
  return head(stamp) + body.slice(1);
}
