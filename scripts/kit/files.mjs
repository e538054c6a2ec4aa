// Helpers for files and folders.

import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";

/** The folder of package.json. */
export const root = path.join(import.meta.dirname, "..", "..");

/** Whether this module is the script that Node runs. */
export function isMain(url) {
  return process.argv[1] !== undefined && pathToFileURL(path.resolve(process.argv[1])).href === url;
}

/** Drafts of `writeWhole` that are being written. A process that exits meanwhile removes them. */
const drafts = new Set();
process.on("exit", () => {
  for (const draft of drafts) rmSync(draft, { force: true });
});

/** Writes a file under a temporary name and renames it, so that no reader sees half a file. */
export async function writeWhole(file, content, mode = 0o644) {
  await mkdir(path.dirname(file), { recursive: true });
  const draft = `${file}.${randomUUID()}.tmp`;
  drafts.add(draft);
  try {
    await writeFile(draft, content, { mode });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  } finally {
    drafts.delete(draft);
  }
}

/** Returns the text of a file, or `null` if it does not exist. */
export async function readOrNull(file) {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return null;
    throw error;
  }
}

/** Returns all files below a folder, sorted, as paths with `/`, without hidden ones. */
export async function listFiles(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join("/"))
    .filter((file) => !file.split("/").some((part) => part.startsWith(".")))
    .sort();
}
