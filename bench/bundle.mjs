// Bundles that only the bench needs: the empty Worker, and parts of the domain for use in Node.

import { bundle, bundleWorker } from "../scripts/build/bundle.mjs";
import { root } from "../scripts/kit/files.mjs";

/** An empty Worker with nothing but Hono in it. */
export function bundleHono() {
  const contents =
    'import { Hono } from "hono"; const app = new Hono(); app.get("/health", (c) => c.json({ status: "ok" })); export default app;';
  return bundleWorker({ entry: { name: "hono.js", contents }, release: true });
}

/** The exports of some TypeScript modules without bindings, e.g. of `src/domain`, in this process. */
export async function importTypeScript(...files) {
  const contents = files.map((file) => `export * from ${JSON.stringify(`./${file}`)};`).join("\n");
  const { outputFiles } = await bundle({ stdin: { contents, resolveDir: root, loader: "ts" }, platform: "node" });
  const code = Buffer.from(outputFiles[0].contents).toString("base64");
  return import(`data:text/javascript;base64,${code}`);
}
