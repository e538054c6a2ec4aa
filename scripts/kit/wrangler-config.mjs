// Reads wrangler.toml with wrangler's own reader, so that no name, id, date or flag stands in two places.

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { readOrNull, root, writeWhole } from "./files.mjs";
import { Refusal } from "./refusal.mjs";

const { version } = createRequire(import.meta.url)("wrangler/package.json");

/**
 * What the file says, without what wrangler takes for granted. Loading wrangler would make every start a second longer, so what
 * it has read is kept in `folder` until the file or wrangler changes.
 * @returns {Promise<Record<string, any>>}
 */
export async function readWranglerConfig(file = path.join(root, "wrangler.toml"), folder = path.join(root, "dist")) {
  const stamp = `${version} ${createHash("sha256")
    .update(await readFile(file))
    .digest("hex")}\n`;
  // Not under a name by which wrangler, given a Worker of dist/, would take it for that Worker's own file.
  const copy = path.join(folder, "config.json");
  const kept = await readOrNull(copy);
  if (kept?.startsWith(stamp)) return JSON.parse(kept.slice(stamp.length));
  const text = JSON.stringify(await readWithWrangler(file));
  await writeWhole(copy, stamp + text);
  return JSON.parse(text);
}

/** Not `unstable_readConfig`: it drops what it does not know, and a local run must refuse that, not pass it over. */
async function readWithWrangler(file) {
  const { experimental_readRawConfig } = await import("wrangler");
  try {
    return experimental_readRawConfig({ config: file }).rawConfig;
  } catch (error) {
    const { line, lineText } = error.location ?? {};
    if (line === undefined) throw error;
    throw new Refusal(`${path.basename(file)}:${line}: ${error.message}: ${lineText}`);
  }
}
