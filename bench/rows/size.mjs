// Measures the code that a deployed Worker reads at its start: the main module and its static imports, minified, with gzip at its highest
// level. Next to it: the code that is read on first use.

import { gzipSync } from "node:zlib";
import { bundleWorker, startModules } from "../../scripts/build/bundle.mjs";

const KIB = 1024;

export async function run() {
  const { modules, metafile } = await bundleWorker({ entry: "src/index.ts", release: true });
  const main = startModules(metafile);
  const lazy = Object.keys(modules).filter((name) => !main.includes(name));
  const row = (name, names) => ({
    name,
    unit: "KiB",
    value: names.reduce((sum, each) => sum + gzipSync(modules[each], { level: 9 }).length, 0) / KIB,
    minified: names.reduce((sum, each) => sum + Buffer.byteLength(modules[each]), 0),
    budget: null,
    packages: byPackage(names.map((each) => metafile.outputs[each])),
  });
  return [
    { ...row("main module, minified, gzip", main), budget: 300 },
    ...lazy.map((name) => row(`loaded when first used: ${packageOf(metafile.outputs[name])}`, [name])),
  ];
}

/** Minified bytes by where they come from, largest first. */
function byPackage(outputs) {
  const bytes = {};
  for (const { inputs } of outputs) {
    for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
      const [, name] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file) ?? [];
      const source = name ?? file.split("/").slice(0, 2).join("/");
      bytes[source] = (bytes[source] ?? 0) + bytesInOutput;
    }
  }
  return Object.fromEntries(Object.entries(bytes).sort(([, a], [, b]) => b - a));
}

/** Returns the package that most of a chunk comes from. The chunk's own name, such as `esm/index.js`, does not identify it. */
function packageOf(output) {
  return Object.keys(byPackage([output]))[0] ?? "nothing";
}
