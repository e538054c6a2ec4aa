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
export async function buildCli(file = BIN) {
  const { outputFiles } = await bundle({
    ...OPTIONS,
    entryPoints: ["sdk/cli/bin.ts"],
    outdir: path.dirname(file),
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "eof",
    banner: { js: "#!/usr/bin/env node" },
  });
  await mkdir(path.dirname(file), { recursive: true });
  await writeWhole(file, outputFiles[0].text, 0o755);
  await chmod(file, 0o755);
  return file;
}

/** The program's `main`, for `npm run skill`. */
export function importCli() {
  return importBundled("skillgate", "sdk/cli/main.ts");
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
