// Bundles the command line: one JavaScript file that needs only Node 20.

import { chmod, mkdir } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { isMain, root, writeWhole } from "../kit/files.mjs";
import { fail } from "../kit/refusal.mjs";
import { bundle } from "./bundle.mjs";
import { kept } from "./cache.mjs";

/** The location in the SDK's package. */
export const BIN = path.join(root, "sdk", "bin", "skillgate.js");

/** Resolves imports as for a Worker: to the ES modules, not to the CommonJS ones for Node. */
const OPTIONS = { platform: "browser", target: "node20", external: ["node:*"], metafile: true };

/** Writes the program of the package. */
export async function buildCli() {
  const { result } = await bundleProgram();
  return writeProgram(BIN, result);
}

/** Returns the path of a program as in the package. It is bundled again only when its sources change. */
export async function keptProgram() {
  const code = await kept("skillgate-program", bundleProgram);
  return writeProgram(path.join(root, "dist", "kept", "skillgate.js"), code);
}

async function bundleProgram() {
  const { outputFiles, metafile } = await bundle({
    ...OPTIONS,
    entryPoints: ["sdk/cli/bin.ts"],
    outdir: root,
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "eof",
    banner: { js: "#!/usr/bin/env node" },
  });
  return { result: outputFiles[0].text, metafile };
}

async function writeProgram(file, code) {
  await mkdir(path.dirname(file), { recursive: true });
  await writeWhole(file, code, 0o755);
  await chmod(file, 0o755);
  return file;
}

/** The module that runs the program in this process, for `npm run skill`. */
export function importCli() {
  return importBundled("skillgate", "sdk/cli/process.ts");
}

/** A module of TypeScript for Node with all that it imports; bundled again only when its sources change. */
export async function importBundled(name, entry) {
  const code = await kept(name, async () => {
    const { outputFiles, metafile } = await bundle({ ...OPTIONS, entryPoints: [entry], outdir: root });
    return { result: outputFiles[0].text, metafile };
  });
  const file = path.join(root, "dist", "kept", `${name}.mjs`);
  await writeWhole(file, code);
  return import(pathToFileURL(file).href);
}

if (isMain(import.meta.url)) {
  buildCli().then((file) => console.log(file), fail);
}
