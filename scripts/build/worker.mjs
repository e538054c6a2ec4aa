// Builds what a start and a deployment need: the Worker's modules on disk, the table of settings, and the static files.

import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { root, writeWhole } from "../kit/files.mjs";
import { readWranglerConfig } from "../kit/wrangler-config.mjs";
import { bundle, bundleWorker, MAIN_MODULE, startModules } from "./bundle.mjs";
import { kept, keptWorker } from "./cache.mjs";
import { checkCeiling, checkStart } from "./ceiling.mjs";
import { prepareAssets, prepareFirstAssets } from "./static.mjs";

/** A separate folder, so that a development build cannot replace a release before its upload. */
const folderOf = (release) => path.join(root, "dist", release ? "release" : "worker");

/**
 * Writes the Worker's modules, dist/settings.mjs and the static files that are missing.
 * @param {{ release?: boolean, defers?: boolean }} options `defers`: leave static files that a first API request does not need for later
 * @returns {Promise<{ modules: Record<string, string>, main: string, settings: typeof import("../../src/domain/settings/settings"),
 * deferred: { output: string, label: string }[], }>} the modules' texts by name, the main one first; the file of the main module; the
 * module of settings; the parts of public/ that were left for later
 */
export async function buildGateway({ release = false, defers = false } = {}) {
  const { main: entry } = await readWranglerConfig();
  const [modules, table, deferred] = await Promise.all([
    // A release is always built again, even if a stored result is current.
    release ? releasedWorker(entry) : keptWorker("worker", { entry }),
    kept("settings", bundleSettings),
    defers ? prepareFirstAssets() : prepareAssets().then(() => []),
  ]);
  const settings = path.join(root, "dist", "settings.mjs");
  const folder = folderOf(release);
  await Promise.all([writeModules(folder, modules), writeWhole(settings, table)]);
  const main = path.join(folder, MAIN_MODULE);
  return { modules, main, settings: await import(pathToFileURL(settings).href), deferred };
}

/**
 * Builds what `npm run serve` needs: the production build for a machine of its own, and all static files. Writes nothing if everything is
 * current, so that an image with a read-only root can run it.
 * @returns {Promise<{ modules: Record<string, string>, settings: typeof import("../../src/domain/settings/settings") }>}
 */
export async function buildServed() {
  const { main: entry } = await readWranglerConfig();
  const [modules, settings] = await Promise.all([
    keptWorker("served", { entry, release: true, isLocal: true }),
    settingsModule(),
    prepareAssets(),
  ]);
  return { modules, settings };
}

/**
 * Returns the module of settings. It takes less time than building the Worker.
 * @returns {Promise<typeof import("../../src/domain/settings/settings")>}
 */
export async function settingsModule() {
  const table = await kept("settings", bundleSettings);
  return import(`data:text/javascript;base64,${Buffer.from(table).toString("base64")}`);
}

async function releasedWorker(entry) {
  const { modules, metafile } = await bundleWorker({ entry, release: true });
  checkCeiling(modules);
  checkStart(startModules(metafile).map((name) => modules[name]));
  return modules;
}

async function bundleSettings() {
  const options = { entryPoints: ["src/domain/settings/settings.ts"], platform: "node", metafile: true };
  const { outputFiles, metafile } = await bundle(options);
  return { result: outputFiles[0].text, metafile };
}

/** Writes the main module last, when everything it imports exists. Then removes the files of earlier builds. */
async function writeModules(folder, modules) {
  for (const [name, text] of Object.entries(modules).reverse()) await writeWhole(path.join(folder, name), text);
  for (const name of await readdir(folder)) {
    if (name.endsWith(".js") && modules[name] === undefined) await rm(path.join(folder, name), { force: true });
  }
}
