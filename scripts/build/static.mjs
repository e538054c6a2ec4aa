// What makes public/ besides the files that git holds. Run by wrangler's [build], by `npm start` and before the tests; with
// nothing to do it only reads.

import path from "node:path";
import { root } from "../kit/files.mjs";
import { prepareClient } from "./client.mjs";
import { prepareCompiler } from "./compiler.mjs";
import { prepareConsole } from "./console.mjs";
import { prepareDocuments } from "./documents.mjs";
import { prepareDrawing } from "./drawing.mjs";
import { prepareGuest } from "./guest.mjs";
import { preparePython } from "./python/parts.mjs";
import { prepareShell } from "./shell.mjs";
import { prepareTokens } from "./tokens.mjs";

/**
 * One row a part. `output`: what it makes in public/; `sources`: the folders it is made of, which `watch_dir` of wrangler.toml
 * names too; `prepare`: makes it in a folder unless it is there and current, and says whether it wrote anything.
 */
export const PARTS = [
  { output: "tokens/o200k_base.json", sources: [], prepare: prepareTokens },
  { output: "sandbox/compiler.js", sources: ["src"], prepare: prepareCompiler },
  { output: "sandbox/node.js", sources: ["src/sandbox/guest"], prepare: prepareGuest },
  { output: "sandbox/shell.js", sources: ["src"], prepare: prepareShell },
  { output: "client/", sources: ["sdk/src/client"], prepare: prepareClient },
  { output: "drawing/", sources: ["src/pages/drawing"], prepare: prepareDrawing },
  { output: "console/", sources: ["console/src", "sdk/src"], prepare: prepareConsole },
  { output: "python/", sources: ["src"], prepare: preparePython },
  { output: "docs/", sources: ["docs"], prepare: prepareDocuments },
];

/**
 * Makes whatever is missing or out of date.
 * @param {string} folder where static files live
 * @returns {Promise<string[]>} what was written
 */
export async function prepareAssets(folder = path.join(root, "public")) {
  const written = await Promise.all(
    PARTS.map(async ({ output, prepare }) => ((await prepare(folder)) ? [output] : [])),
  );
  return written.flat();
}
