// Copies the diagram renderer (src/pages/drawing/ and mermaid from npm) to public/drawing/.

import { readFile, rm } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { listFiles, readOrNull, root, writeWhole } from "../kit/files.mjs";

/**
 * Updates public/drawing/ from the sources. Files that are current stay unchanged.
 * @param {string} folder the folder of static files
 * @returns {Promise<boolean>} whether a file was written
 */
export async function prepareDrawing(folder = path.join(root, "public")) {
  const target = path.join(folder, "drawing");
  const sources = await allSources();
  let changed = false;
  await Promise.all(
    [...sources].map(async ([name, source]) => {
      const content = await readFile(source, "utf8");
      const file = path.join(target, name);
      if ((await readOrNull(file)) === content) return;
      await writeWhole(file, content);
      changed = true;
    }),
  );
  // A file with this ending belongs to a concurrent run.
  const left = (await listFiles(target)).filter((name) => !sources.has(name) && !name.endsWith(".tmp"));
  await Promise.all(left.map((name) => rm(path.join(target, name), { force: true })));
  // Removes the demo that earlier versions built. It is now *Try it* in the console.
  await rm(path.join(folder, "demo"), { recursive: true, force: true });
  return changed;
}

/** Whether public/drawing/ has the current files. */
export async function isDrawingCurrent(folder) {
  const target = path.join(folder, "drawing");
  const sources = await allSources();
  const same = await Promise.all(
    [...sources].map(
      async ([name, source]) => (await readOrNull(path.join(target, name))) === (await readFile(source, "utf8")),
    ),
  );
  return !same.includes(false) && (await listFiles(target)).every((name) => sources.has(name));
}

async function allSources() {
  return new Map([...(await filesOf(path.join(root, "src/pages/drawing"))), ...(await mermaidFiles())]);
}

async function filesOf(folder) {
  return (await listFiles(folder)).map((name) => [name, path.join(folder, name)]);
}

/** Mermaid's minified modules: an entry, and a chunk for each kind of diagram, loaded when it is drawn. */
async function mermaidFiles() {
  const dist = path.dirname(fileURLToPath(import.meta.resolve("mermaid")));
  const chunks = "chunks/mermaid.esm.min";
  const files = await filesOf(path.join(dist, chunks));
  const entry = "mermaid.esm.min.mjs";
  return [
    [`mermaid/${entry}`, path.join(dist, entry)],
    ...files.filter(([name]) => name.endsWith(".mjs")).map(([name, file]) => [`mermaid/${chunks}/${name}`, file]),
  ];
}
