// Generates public/openapi.json from the routes and schemas of the gateway's sources. The Worker does not contain the generator.

import path from "node:path";
import { readOrNull, root, writeWhole } from "../kit/files.mjs";
import { bundle } from "./bundle.mjs";
import { kept, readKept } from "./cache.mjs";

/** Replaces the modules that only workerd has. No route needs them to be described. */
const runtime = {
  name: "modules of workerd",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^cloudflare:/ }, ({ path: name }) => ({ path: name, namespace: "workerd" }));
    const contents =
      "export class DurableObject {} export class RpcTarget {} export class WorkerEntrypoint {} export const env = {}, waitUntil = () => {};";
    onLoad({ filter: /./, namespace: "workerd" }, () => ({ contents }));
  },
};

/** Returns the OpenAPI document as JSON text. Generates it only if the sources have changed. */
export function openApiText() {
  return kept("openapi", async () => {
    const { outputFiles, metafile } = await bundle({
      stdin: {
        contents: 'export { wholeApp } from "./src/edges"; export { documentOf } from "./src/api/reference/document";',
        resolveDir: root,
        loader: "ts",
      },
      platform: "node",
      define: { __DEVELOPMENT__: "true", __LOCAL_RUNTIME__: "true" },
      plugins: [runtime],
      metafile: true,
    });
    const code = Buffer.from(outputFiles[0].contents).toString("base64");
    const { wholeApp, documentOf } = await import(`data:text/javascript;base64,${code}`);
    return { result: JSON.stringify(documentOf(await wholeApp())), metafile };
  });
}

/** Returns whether the document in this folder is what the sources describe. */
export async function isOpenApiCurrent(folder) {
  const text = await readKept("openapi");
  return text !== null && text === (await readOrNull(path.join(folder, "openapi.json")));
}

/**
 * Writes the document unless it is current.
 *
 * @param {string} folder where static files live
 * @returns {Promise<boolean>} whether it was written
 */
export async function prepareOpenApi(folder) {
  const file = path.join(folder, "openapi.json");
  const text = await openApiText();
  if ((await readOrNull(file)) === text) return false;
  await writeWhole(file, text);
  return true;
}
