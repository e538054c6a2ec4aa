// Bundles the harness that runs Node scripts in their isolate, from src/sandbox/guest/ into public/sandbox/. The gateway reads the
// bundle as text.

import path from "node:path";
import { readOrNull, writeWhole } from "../kit/files.mjs";
import { bundle, WORKERD } from "./bundle.mjs";
import { kept, readKept } from "./cache.mjs";

const ENTRY = "src/sandbox/guest/node/main.js";
/** CommonJS packages load Node's modules with `require`. The runtime offers them under another name. */
const REQUIRE = "const require = (name) => process.getBuiltinModule(name);";

/** Whether the harness in a folder of static files was built from the current sources. */
export async function isGuestCurrent(folder) {
  const text = await readKept("guest-node");
  return text !== null && text === (await readOrNull(path.join(folder, "sandbox", "node.js")));
}

/**
 * Writes the harness of Node scripts, unless it is there and current.
 * @param {string} folder where static files live
 * @returns {Promise<boolean>} whether something was written
 */
export async function prepareGuest(folder) {
  const file = path.join(folder, "sandbox", "node.js");
  const text = await kept("guest-node", bundleNode);
  if ((await readOrNull(file)) === text) return false;
  await writeWhole(file, text);
  return true;
}

async function bundleNode() {
  const { outputFiles, metafile } = await bundle({
    ...WORKERD,
    platform: "node",
    conditions: [],
    entryPoints: [ENTRY],
    minify: true,
    keepNames: true,
    legalComments: "none",
    metafile: true,
    banner: { js: REQUIRE },
  });
  return { result: outputFiles[0].text, metafile };
}
