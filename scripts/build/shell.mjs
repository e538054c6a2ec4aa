// Builds the harness for shell scripts from src/sandbox/guest/shell/ and npm's just-bash into public/sandbox/shell.js. The gateway reads
// that file as text. The edits to just-bash are in shell-edits.mjs.

import { readFile } from "node:fs/promises";
import path from "node:path";
import { readOrNull, root, writeWhole } from "../kit/files.mjs";
import { bundle, WORKERD } from "./bundle.mjs";
import { kept, readKept } from "./cache.mjs";
import { editShell, SHELL_CALLS } from "./shell-edits.mjs";

const ENTRY = "src/sandbox/guest/shell/main.js";
const THIS = "scripts/build/shell.mjs";
const EDITS = "scripts/build/shell-edits.mjs";
const OURS = "src/sandbox/guest/shell/process.js";

/** Whether the harness in a folder of static files was built from the current sources. */
export async function isShellCurrent(folder) {
  const text = await readKept("guest-shell");
  return text !== null && text === (await readOrNull(path.join(folder, "sandbox", "shell.js")));
}

/**
 * Writes the harness of shell scripts, unless it is there and current.
 * @param {string} folder where static files live
 * @returns {Promise<boolean>} whether something was written
 */
export async function prepareShell(folder) {
  const file = path.join(folder, "sandbox", "shell.js");
  const text = await kept("guest-shell", bundleShell);
  if ((await readOrNull(file)) === text) return false;
  await writeWhole(file, text);
  return true;
}

const edited = {
  name: "just-bash as it is here",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]just-bash[\\/]dist[\\/]bundle[\\/]browser\.js$/ }, async (args) => {
      const text = await readFile(args.path, "utf8");
      const ours = path.relative(path.dirname(args.path), path.join(root, OURS)).split(path.sep).join("/");
      const first = `import { ${SHELL_CALLS.join(", ")} } from ${JSON.stringify(ours)};
`;
      return { contents: first + editShell(text), loader: "js" };
    });
  },
};

async function bundleShell() {
  const { outputFiles, metafile } = await bundle({
    ...WORKERD,
    platform: "browser",
    conditions: [],
    entryPoints: [ENTRY],
    minify: true,
    keepNames: false,
    legalComments: "none",
    metafile: true,
    plugins: [edited],
  });
  return { result: outputFiles[0].text, metafile: { inputs: { ...metafile.inputs, [THIS]: {}, [EDITS]: {} } } };
}
