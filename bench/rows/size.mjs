// The main module as it is deployed: minified, and gzip at its best.

import { gzipSync } from "node:zlib";
import { bundleWorker } from "../bundle.mjs";

const KIB = 1024;

export async function run() {
  const { script, metafile } = await bundleWorker("src/index.ts");
  return [
    {
      name: "main module, minified, gzip",
      unit: "KiB",
      value: gzipSync(script, { level: 9 }).length / KIB,
      budget: 300,
      minified: Buffer.byteLength(script),
      packages: byPackage(metafile),
    },
  ];
}

/** Minified bytes of the whole bundle by where they come from, largest first. */
function byPackage({ outputs }) {
  const bytes = {};
  for (const { inputs } of Object.values(outputs)) {
    for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
      const [, name] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file) ?? [];
      const source = name ?? file.split("/").slice(0, 2).join("/");
      bytes[source] = (bytes[source] ?? 0) + bytesInOutput;
    }
  }
  return Object.fromEntries(Object.entries(bytes).sort(([, a], [, b]) => b - a));
}
