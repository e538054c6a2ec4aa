// Deletes from node_modules what packages bring and this repository never reads. Runs after `npm install` and `npm ci`.

import { existsSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";

const modules = path.join(import.meta.dirname, "..", "node_modules");

/** Whether a file, named by its path below node_modules, is deleted. */
export function isUnused(name) {
  const file = name.split(path.sep).join("/");
  // Source maps of packages are not needed for debugging here.
  if (/\.map$/.test(file)) return true;
  // The C headers that native addons are compiled with.
  if (/^node\/node_modules\/node-[^/]+\/include\//.test(file)) return true;
  // The build of the diagram renderer copies this one bundle of mermaid (scripts/build/drawing.mjs). Its types check the documentation.
  const isUsed = /^mermaid\/dist\/(mermaid\.esm\.min\.mjs$|chunks\/mermaid\.esm\.min\/|.*\.d\.ts$)/.test(file);
  return /^mermaid\/dist\//.test(file) && !isUsed;
}

if (import.meta.filename === process.argv[1] && existsSync(modules)) {
  for (const entry of readdirSync(modules, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    if (isUnused(path.relative(modules, file))) rmSync(file, { force: true });
  }
}
