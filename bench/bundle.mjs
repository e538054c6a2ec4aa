// Bundles of TypeScript: the Worker as it is deployed, the bench's own Worker, and parts of the domain for use in Node.

import path from "node:path";
import { build } from "esbuild";

export const root = path.dirname(import.meta.dirname);

/** As `scripts/build.mjs --release` and `wrangler deploy --minify` do it, so that what is measured is what is shipped. */
const WORKER = {
  absWorkingDir: root,
  bundle: true,
  format: "esm",
  target: "es2024",
  supported: { using: true },
  conditions: ["workerd", "worker", "browser"],
  external: ["cloudflare:*", "node:*"],
  define: { __DEVELOPMENT__: "false", "process.env.NODE_ENV": '"production"' },
  keepNames: true,
  minify: true,
  metafile: true,
  write: false,
};

/**
 * A Worker's one module.
 * @param {string} entry from the root, e.g. `src/index.ts`
 * @param {{ development?: boolean }} [options] `development`: it may speak to servers on this machine
 * @returns {Promise<{ script: string, metafile: import("esbuild").Metafile }>}
 */
export async function bundleWorker(entry, { development = false } = {}) {
  const define = { ...WORKER.define, __DEVELOPMENT__: String(development) };
  return bundleOf(await build({ ...WORKER, define, entryPoints: [entry] }));
}

/** An empty Worker with nothing but Hono in it. */
export async function bundleHono() {
  const contents =
    'import { Hono } from "hono"; const app = new Hono(); app.get("/health", (c) => c.json({ status: "ok" })); export default app;';
  return bundleOf(await build({ ...WORKER, stdin: { contents, resolveDir: root, sourcefile: "hono.js" } }));
}

/** The exports of some TypeScript modules without bindings, e.g. of `src/domain`, in this process. */
export async function importTypeScript(...files) {
  const contents = files.map((file) => `export * from ${JSON.stringify(`./${file}`)};`).join("\n");
  const result = await build({
    stdin: { contents, resolveDir: root, loader: "ts" },
    bundle: true,
    format: "esm",
    platform: "node",
    write: false,
  });
  const code = Buffer.from(result.outputFiles[0].contents).toString("base64");
  return import(`data:text/javascript;base64,${code}`);
}

function bundleOf({ outputFiles, metafile }) {
  return { script: outputFiles[0].text, metafile };
}
