// Builds `skill-gateway/client` from sdk/src/client/ into public/client/, where the gateway serves it.

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { version as esbuildVersion } from "esbuild";
import { listFiles, readOrNull, root, writeWhole } from "../kit/files.mjs";
import { bundle } from "./bundle.mjs";

const sources = path.join(root, "sdk", "src", "client");
const require = createRequire(import.meta.url);
/** Written last, so that its stamp covers all files. */
const LAST = "react.js";
/** A change of one of these can change the result. */
const MAKERS = [import.meta.filename, path.join(import.meta.dirname, "bundle.mjs")];

/**
 * Writes the two modules and their types, unless they are there and current.
 * @param {string} folder where static files live
 * @returns {Promise<boolean>} whether something was written
 */
export async function prepareClient(folder = path.join(root, "public")) {
  if (await isClientCurrent(folder)) return false;
  const target = path.join(folder, "client");
  const stamp = await stampOfSources();

  const [core, react, types] = await Promise.all([
    bundled("skill-gateway.ts", []),
    bundled("react.ts", ["react", "./skill-gateway.js"]),
    declarations(),
  ]);
  await Promise.all(Object.entries(types).map(([name, text]) => writeWhole(path.join(target, name), text)));
  await writeWhole(path.join(target, "skill-gateway.js"), core);
  await writeWhole(path.join(target, LAST), stamp + react);
  return true;
}

/** Whether the modules in a folder of static files were built from the current sources. */
export async function isClientCurrent(folder) {
  return (await readOrNull(path.join(folder, "client", LAST)))?.startsWith(await stampOfSources()) ?? false;
}

async function stampOfSources() {
  const hash = createHash("sha256");
  const names = (await listFiles(sources)).map((name) => path.join(sources, name));
  for (const file of [...names, ...MAKERS, path.join(root, "tsconfig.json")]) {
    hash.update(await readFile(file)).update("\0");
  }
  const digest = hash.update(`${esbuildVersion} ${require("typescript/package.json").version}`).digest("hex");
  return `// ${digest.slice(0, 32)}\n`;
}

/** Bundles one module, minified, with everything except the modules that it imports by name. */
async function bundled(entry, neighbours) {
  const result = await bundle({
    entryPoints: [path.join(sources, entry)],
    minify: true,
    target: "es2022",
    plugins: [
      {
        name: "neighbours",
        setup: (plugin) =>
          plugin.onResolve({ filter: /./ }, ({ path: name }) =>
            neighbours.includes(name) ? { path: name, external: true } : undefined,
          ),
      },
    ],
  });
  return result.outputFiles[0].text;
}

/** Returns the types that the compiler writes. */
async function declarations() {
  const folder = await mkdtemp(path.join(tmpdir(), "skill-gateway-types-"));
  try {
    const compiler = path.join(path.dirname(require.resolve("typescript/package.json")), "bin", "tsc");
    const options = ["--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--outDir", folder];
    await promisify(execFile)(process.execPath, [compiler, "-p", sources, ...options]).catch((error) => {
      throw new Error(`sdk/src/client/ does not compile:\n${error.stdout}`);
    });
    const names = await listFiles(folder);
    return Object.fromEntries(
      await Promise.all(names.map(async (name) => [name, await readFile(path.join(folder, name), "utf8")])),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
