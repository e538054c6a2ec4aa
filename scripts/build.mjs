// `npm run build`: bundles the Worker, and the table of settings for the launcher.
// `--release` makes what a deployment gets: minified, without the loopback allowances of development.

import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { prepareAssets } from "./assets.mjs";
import { bundle, bundleWorker, MAIN_MODULE } from "./bundle.mjs";
import { isMain, root, writeWhole } from "./files.mjs";
import { fail, say } from "./refusal.mjs";
import { readWranglerConfig } from "./wrangler-config.mjs";

/** Apart, so that no build for development can come between a release and its upload. */
const folderOf = (release) => path.join(root, "dist", release ? "release" : "worker");

/**
 * Writes the Worker's modules, dist/settings.mjs and whatever static files are missing.
 * @returns {Promise<{
 *   modules: Record<string, string>, main: string, settings: typeof import("../src/domain/settings"),
 * }>} the modules' texts by name, the main one first; its file; the settings' module
 */
export async function buildGateway({ release = false } = {}) {
  const { main: entry } = await readWranglerConfig();
  const [{ modules }, { outputFiles }] = await Promise.all([
    bundleWorker({ entry, release }),
    bundle({ entryPoints: ["src/domain/settings.ts"], platform: "node" }),
    prepareAssets(),
  ]);
  const settings = path.join(root, "dist", "settings.mjs");
  const folder = folderOf(release);
  await Promise.all([writeModules(folder, modules), writeWhole(settings, outputFiles[0].text)]);
  return { modules, main: path.join(folder, MAIN_MODULE), settings: await import(pathToFileURL(settings).href) };
}

/** The main module last, when everything it imports is there; then what an earlier build has left goes. */
async function writeModules(folder, modules) {
  for (const [name, text] of Object.entries(modules).reverse()) await writeWhole(path.join(folder, name), text);
  for (const name of await readdir(folder)) {
    if (name.endsWith(".js") && modules[name] === undefined) await rm(path.join(folder, name), { force: true });
  }
}

if (isMain(import.meta.url)) {
  // wrangler's [build] runs this too, and says for which of its commands.
  const release = process.argv.includes("--release") || process.env.WRANGLER_COMMAND === "deploy";
  buildGateway({ release }).then(({ modules, main }) => {
    for (const [name, text] of Object.entries(modules)) {
      const file = path.relative(root, path.join(path.dirname(main), name));
      say(`${file}: ${Math.round(Buffer.byteLength(text) / 1024)} KiB`);
    }
  }, fail);
}
