// Builds public/python/, the files an isolate needs for Python. The core and the standard library come from the npm package `pyodide`, the
// harness and its modules from src/sandbox/python/. The build takes some seconds and runs again only when a source has changed.

import { createHash } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { listFiles, readOrNull, root, writeWhole } from "../../kit/files.mjs";
import { bundle } from "../bundle.mjs";
import { coreOf } from "./core.mjs";
import { librariesOf } from "./library.mjs";

const HARNESS = "src/sandbox/python/harness/main.ts";
const MODULES = "src/sandbox/python/modules";
const BUILDERS = "scripts/build/python";
/** The modules next to the harness in its isolate. */
const BESIDE = ["cloudflare:*", "./core.js", "./package.json", "*.wasm", "*.zip"];
/** Written last: its presence means that the other files are complete. It contains the stamp of their sources. */
const TABLE = "parts.json";

/**
 * @param {string} folder where static files live
 * @returns {Promise<boolean>} whether something was written
 */
export async function preparePython(folder) {
  const target = path.join(folder, "python");
  const { harness, own, version, stamp } = await readSources();
  if (await isCurrent(target, stamp)) return false;
  const parts = {
    ...(await coreOf(pyodideFolder())),
    ...(await librariesOf(pyodideFolder(), own)),
    "harness.js": harness,
  };
  await rm(path.join(target, TABLE), { force: true });
  await Promise.all(Object.entries(parts).map(([name, content]) => writeWhole(path.join(target, name), content)));
  const table = { stamp, pyodide: version, digest: digestOf(Object.values(parts)), parts: Object.keys(parts) };
  await writeWhole(path.join(target, TABLE), `${JSON.stringify(table, null, 2)}\n`);
  const kept = new Set([...Object.keys(parts), TABLE]);
  // A file with this ending belongs to a concurrent run.
  const left = (await listFiles(target)).filter((name) => !kept.has(name) && !name.endsWith(".tmp"));
  await Promise.all(left.map((name) => rm(path.join(target, name), { force: true })));
  return true;
}

/** Whether public/python/ was built from the current sources. */
export async function isPythonCurrent(folder) {
  const { stamp } = await readSources();
  return isCurrent(path.join(folder, "python"), stamp);
}

async function readSources() {
  const [harness, own, builders, version] = await Promise.all([
    harnessText(),
    ownModules(),
    filesOf(BUILDERS, ".mjs"),
    pyodideVersion(),
  ]);
  return { harness, own, version, stamp: digestOf([version, harness, JSON.stringify([own, builders])]) };
}

/** Returns the sources of the gateway's modules by path. */
export const ownModules = () => filesOf(MODULES, ".py");

/** The folder of the package. */
export const pyodideFolder = () => path.dirname(fileURLToPath(import.meta.resolve("pyodide")));

async function pyodideVersion() {
  return JSON.parse(await readFile(path.join(pyodideFolder(), "package.json"), "utf8")).version;
}

async function harnessText() {
  const options = { entryPoints: [HARNESS], external: BESIDE, target: "es2024", minifySyntax: true };
  return (await bundle(options)).outputFiles[0].text;
}

async function filesOf(folder, ending) {
  const names = (await listFiles(path.join(root, folder))).filter((name) => name.endsWith(ending));
  const texts = await Promise.all(names.map((name) => readFile(path.join(root, folder, name), "utf8")));
  return Object.fromEntries(names.map((name, i) => [name, texts[i]]));
}

function digestOf(parts) {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(`${part.length}\0`).update(part);
  return hash.digest("hex");
}

async function isCurrent(target, stamp) {
  const text = await readOrNull(path.join(target, TABLE));
  return text !== null && JSON.parse(text).stamp === stamp;
}
