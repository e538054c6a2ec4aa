// Stores build results until one of their inputs changes. Bundling unchanged sources again would take half of a start.

import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { version as esbuildVersion } from "esbuild";
import { readOrNull, root, writeWhole } from "../kit/files.mjs";
import { bundleWorker } from "./bundle.mjs";

/** A change of one of these can change the result even if the sources are the same. */
const MAKERS = [
  "scripts/build/bundle.mjs",
  "scripts/build/cli.mjs",
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
  // The name of a plugin's output begins with the plugin's name, and esbuild names a text itself. Neither is a file.
  const inputs = Object.keys(metafile.inputs).filter((input) => !/^[^/\\]+:|^<stdin>$/.test(input));
  const stamp = await stampOf(inputs);
  const times = await Promise.all(inputs.map(async (input) => (await stat(path.join(root, input))).mtimeMs));
  // If a file was saved during the build, it is unclear which content was read. The result is then not stored.
  if (Math.max(...times) < began) await writeWhole(file, JSON.stringify({ stamp, inputs, result }));
  return result;
}

/**
 * Returns the result of an earlier build if none of its inputs has changed since.
 * @returns {Promise<any>} `null` if it must be built
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

/** @returns {Promise<string | null>} `null` if a file is missing */
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
