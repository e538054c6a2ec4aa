// Bundles that only the bench needs: the empty Worker.

import { bundleWorker } from "../scripts/build/bundle.mjs";

/** An empty Worker with nothing but Hono in it. */
export function bundleHono() {
  const contents =
    'import { Hono } from "hono"; const app = new Hono(); app.get("/health", (c) => c.json({ status: "ok" })); export default app;';
  return bundleWorker({ entry: { name: "hono.js", contents }, release: true });
}
