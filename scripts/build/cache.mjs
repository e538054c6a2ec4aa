// What an earlier build made, for as long as nothing that went into it changes: half of a start would else go into bundling the
// same sources again.

import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { version as esbuildVersion } from "esbuild";
import { readOrNull, root, writeWhole } from "../kit/files.mjs";
import { bundleWorker } from "./bundle.mjs";

/** With another one of these the result may be another one, whatever the sources say. */
const MAKERS = [
  "scripts/build/bundle.mjs",
  "scripts/build/mcp-sdk.mjs",
  "scripts/build/openapi.mjs",
  "wrangler.toml",
  "package.json",
  "tsconfig.json",
];

/**
 * @template T
 * @param {string} name of the file in dist/kept/
 * @param {() => Promise<{ result: T, metafile: import("esbuild").Metafile }>} make `result` must survive JSON
 * @returns {Promise<T>}
 */
export async function kept(name, make) {
  const file = fileOf(name);
  const before = await readKept(name);
  if (before !== null) return before;
  const began = Date.now();
  const { result, metafile } = await make();
  // What a plugin made has the plugin's name before its own, and a text has a name of esbuild's. Neither is a file.
  const inputs = Object.keys(metafile.inputs).filter((input) => !/^[^/\\]+:|^<stdin>$/.test(input));
  const stamp = await stampOf(inputs);
  const times = await Promise.all(inputs.map(async (input) => (await stat(path.join(root, input))).mtimeMs));
  // Somebody saves while we build: nobody knows which text was read.
  if (Math.max(...times) < began) await writeWhole(file, JSON.stringify({ stamp, inputs, result }));
  return result;
}

/**
 * What an earlier build made, if nothing that went into it has changed since.
 * @returns {Promise<any>} `null` where it has to be made
 */
export async function readKept(name) {
  const text = await readOrNull(fileOf(name));
  if (text === null) return null;
  const { stamp, inputs, result } = JSON.parse(text);
  return stamp === (await stampOf(inputs)) ? result : null;
}

const fileOf = (name) => path.join(root, "dist", "kept", `${name}.json`);

/** The modules of `bundleWorker`. */
export function keptWorker(name, options) {
  return kept(name, async () => {
    const { modules, metafile } = await bundleWorker(options);
    return { result: modules, metafile };
  });
}

/** @returns {Promise<string | null>} `null` where a file is gone */
async function stampOf(inputs) {
  const hash = createHash("sha256").update(esbuildVersion);
  const files = [...MAKERS, ...inputs];
  const texts = await Promise.all(files.map((file) => readFile(path.join(root, file)).catch(missing)));
  for (const [i, text] of texts.entries()) {
    if (text === null) return null;
    hash.update(`\0${files[i]}\0`).update(text);
  }
  return hash.digest("hex");
}

function missing(error) {
  if (error.code === "ENOENT") return null;
  throw error;
}
