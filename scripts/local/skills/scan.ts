// Finds skill folders on disk: every folder with a SKILL.md, except those inside another skill.

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { lstat, readdir, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { isPacked } from "../../../sdk/cli/folder";

/** A `--skills` folder has at most this many directories. */
const MOST_DIRECTORIES = 20_000;

export interface ScannedFolder {
  folder: string;
  root: string;
  /** The file with the instructions: SKILL.md in any case. */
  skillFile: string;
  /** The files to pack, sorted. */
  files: string[];
  /** Changes whenever a file does. */
  signature: string;
}

export interface Scan {
  folders: ScannedFolder[];
  /** Every directory that was read. A change below a root shows in one of them. */
  directories: string[];
  /** Directories that could not be read, and why. What is below them is unknown. */
  unreadable: { directory: string; reason: string }[];
}

/** Reads the directories below the roots, but no file. Symbolic links to directories are followed down to a skill, and not inside it. */
export async function scan(roots: readonly string[]): Promise<Scan> {
  const found: Scan = { folders: [], directories: [], unreadable: [] };
  const visited = new Set<string>();
  for (const root of roots) {
    const ignored = await ignoredBelow(root);
    await walk(found, visited, ignored, root, root);
  }
  return found;
}

async function walk(found: Scan, visited: Set<string>, ignored: ReadonlySet<string>, root: string, directory: string) {
  try {
    const real = await realpath(directory);
    if (visited.has(real)) return;
    visited.add(real);
    if (found.directories.length >= MOST_DIRECTORIES)
      throw new Error(`too many folders (limit ${MOST_DIRECTORIES}). Name a folder with fewer.`);
    const entries = await readdir(directory, { withFileTypes: true });
    found.directories.push(directory);
    const skillFile = entries.find(({ name }) => name.toLowerCase() === "skill.md")?.name;
    if (skillFile !== undefined) {
      found.folders.push(await scanSkill(found, ignored, { root, folder: directory, skillFile }));
      return;
    }
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const inner = path.join(directory, entry.name);
      if (!isPacked(entry.name)) continue;
      if (entry.isDirectory() || (entry.isSymbolicLink() && (await isDirectory(inner))))
        await walk(found, visited, ignored, root, inner);
    }
  } catch (error) {
    // Removed meanwhile: the scan after the next event sees that.
    if (codeOf(error) === "ENOENT" && directory !== root) return;
    found.unreadable.push({ directory, reason: error instanceof Error ? error.message : String(error) });
  }
}

async function scanSkill(
  found: Scan,
  ignored: ReadonlySet<string>,
  { root, folder, skillFile }: { root: string; folder: string; skillFile: string },
): Promise<ScannedFolder> {
  const files: string[] = [];
  // If git ignores the skill itself, for example in a repository of a whole home folder, all its files are packed.
  const isLeftOut = (file: string) => ignored.has(file) && !ignored.has(path.join(folder, skillFile));
  const inner = async (directory: string): Promise<void> => {
    if (directory !== folder) found.directories.push(directory);
    for (const entry of await readdir(directory, { withFileTypes: true })) {
      const place = path.join(directory, entry.name);
      if (!isPacked(entry.name) || isLeftOut(place)) continue;
      if (entry.isDirectory()) await inner(place);
      else if (entry.isFile()) files.push(path.relative(folder, place).split(path.sep).join("/"));
    }
  };
  await inner(folder);
  files.sort();
  return { root, folder, skillFile, files, signature: await signatureOf(folder, files) };
}

/** Returns a text that changes with the files: their sizes, modes and times. A missing file has none of these. */
export async function signatureOf(folder: string, files: readonly string[]): Promise<string> {
  const facts = await Promise.all(
    files.map(async (file) => {
      const facts = await lstat(path.join(folder, file)).catch(() => null);
      return facts === null ? [file] : [file, facts.size, facts.mode & 0o111, facts.mtimeMs, facts.ctimeMs, facts.ino];
    }),
  );
  return createHash("sha256").update(JSON.stringify(facts)).digest("hex");
}

async function isDirectory(place: string): Promise<boolean> {
  const found = await stat(place).catch(() => null);
  return found?.isDirectory() ?? false;
}

/** Returns the full paths that git ignores below a folder. Empty if the folder is not in a repository or git is not installed. */
function ignoredBelow(root: string): Promise<Set<string>> {
  const args = ["-C", root, "ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"];
  return new Promise((resolve) => {
    execFile("git", args, { maxBuffer: 64 * 1024 * 1024, timeout: 10_000 }, (error, stdout) => {
      const names = error === null ? stdout.split("\0").filter((name) => name !== "") : [];
      resolve(
        names.includes("./") ? new Set() : new Set(names.map((name) => path.join(root, name.replace(/\/$/, "")))),
      );
    });
  });
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
