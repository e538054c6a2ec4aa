// Builds the compiler of skill code from src/domain/code/ into public/sandbox/compiler.js. The gateway reads that file as text for an
// isolate. Every function and loop in it counts a step, because its input is untrusted.

import path from "node:path";
import { readOrNull, writeWhole } from "../kit/files.mjs";
import { bundle, importTypeScript, WORKERD } from "./bundle.mjs";
import { kept } from "./cache.mjs";

const ENTRY = "src/domain/code/compile.ts";
const INSTRUMENT = "src/sandbox/instrument.ts";

/**
 * Writes the compiler, unless it is there and current.
 * @param {string} folder where static files live
 * @returns {Promise<boolean>} whether something was written
 */
export async function prepareCompiler(folder) {
  const file = path.join(folder, "sandbox", "compiler.js");
  const text = await kept("compiler", bundleCompiler);
  if ((await readOrNull(file)) === text) return false;
  await writeWhole(file, text);
  return true;
}

async function bundleCompiler() {
  const [{ outputFiles, metafile }, { instrument }] = await Promise.all([
    bundle({ ...WORKERD, entryPoints: [ENTRY], minify: true, legalComments: "none", metafile: true }),
    importTypeScript(INSTRUMENT),
  ]);
  const inputs = { ...metafile.inputs, [INSTRUMENT]: {} };
  return { result: instrument(outputFiles[0].text, "compiler.js"), metafile: { inputs } };
}
