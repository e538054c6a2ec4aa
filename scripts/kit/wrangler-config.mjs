// Reads wrangler.toml with the parser that wrangler uses, so that no name, id, date or flag is written in two places.

import { readFile } from "node:fs/promises";
import path from "node:path";
import { parse, TomlError } from "smol-toml";
import { root } from "./files.mjs";
import { Refusal } from "./refusal.mjs";

/**
 * Returns the content of the file without wrangler's defaults. Loading wrangler itself takes half as long as a whole start. Its reader also
 * drops unknown fields, which a local run must refuse.
 * @returns {Promise<Record<string, any>>}
 */
export async function readWranglerConfig(file = path.join(root, "wrangler.toml")) {
  const text = await readFile(file, "utf8");
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [reason] = error.message.split("\n");
    throw new Refusal(`${path.basename(file)}:${error.line}: ${reason}: ${text.split("\n")[error.line - 1]}`);
  }
}
