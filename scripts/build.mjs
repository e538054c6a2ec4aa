// `npm run build`: bundles the Worker the way wrangler does, and the table of settings for the launcher.
// `--release` makes what a deployment would get: minified, without the loopback allowances of development.

import path from "node:path";
import { pathToFileURL } from "node:url";
import { build as esbuild } from "esbuild";
import { prepareAssets } from "./assets.mjs";
import { isMain, root, writeWhole } from "./files.mjs";
import { fail, Refusal, say } from "./refusal.mjs";
import { readWranglerConfig } from "./wrangler-config.mjs";

/**
 * Writes dist/index.js and dist/settings.mjs and whatever static files are missing.
 * @returns {Promise<{ script: string, settings: typeof import("../src/domain/settings") }>} the bundle's text and the settings' module
 */
export async function buildGateway({ release = false } = {}) {
  const config = await readWranglerConfig();
  const [script, settings] = await Promise.all([
    bundle({
      entryPoints: [config.main],
      // As in wrangler's own bundler; bundled by hand because starting wrangler costs seconds.
      target: "es2024",
      supported: { using: true },
      conditions: ["workerd", "worker", "browser"],
      external: ["cloudflare:*", "node:*"],
      define: {
        "process.env.NODE_ENV": release ? '"production"' : '"development"',
        ...config.define,
        ...(release ? {} : { __DEVELOPMENT__: "true" }),
      },
      keepNames: true,
      minify: release,
    }),
    bundle({ entryPoints: ["src/domain/settings.ts"], platform: "node" }),
    prepareAssets(),
  ]);
  const settingsFile = path.join(root, "dist", "settings.mjs");
  await Promise.all([writeWhole(path.join(root, "dist", "index.js"), script), writeWhole(settingsFile, settings)]);
  return { script, settings: await import(pathToFileURL(settingsFile).href) };
}

async function bundle(options) {
  try {
    const result = await esbuild({
      absWorkingDir: root,
      bundle: true,
      format: "esm",
      write: false,
      logLevel: "warning",
      ...options,
    });
    return result.outputFiles[0].text;
  } catch {
    // esbuild has already said what and where.
    throw new Refusal(`${options.entryPoints[0]} cannot be bundled.`);
  }
}

if (isMain(import.meta.url)) {
  const release = process.argv.includes("--release");
  buildGateway({ release }).then(({ script }) => say(`dist/index.js: ${Math.round(script.length / 1024)} KiB`), fail);
}
