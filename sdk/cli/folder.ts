// Packs folders into skill packages and writes packages to folders.

import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { zipSync } from "fflate";
import { inspect } from "../../src/domain/inspection/inspection";
import { type PackageOutcome, readPackage } from "../../src/domain/package/package";
import type { SkillPackage } from "../../src/domain/package/skill";
import { shownText } from "../../src/domain/text";
import { placeOf, type Work, withScratch } from "./context";
import { type ChangedFile, changedFiles } from "./lines";
import { EXIT, misused, Problem } from "./problem";

/** A skill from the command line: a folder with a SKILL.md, or a ZIP. */
export interface NamedSkill {
  name: string;
  place: string;
  isFolder: boolean;
  zip(): Promise<Uint8Array>;
}

export async function skillAt(work: Work, typed: string): Promise<NamedSkill> {
  const place = placeOf(work, typed);
  const found = await stat(place).catch(() => null);
  if (found?.isFile() && place.toLowerCase().endsWith(".zip")) {
    const name = path.basename(place).slice(0, -".zip".length);
    return { name, place, isFolder: false, zip: () => readFile(place) };
  }
  if ((await stat(path.join(place, "SKILL.md")).catch(() => null)) === null)
    throw misused(`${place} has no SKILL.md. Name the folder of a skill.`);
  return { name: path.basename(place), place, isFolder: true, zip: () => packFolder(place) };
}

/** Returns the skills named on the command line. Default: the current folder. */
export function skillsAt(work: Work, typed: readonly string[]): Promise<NamedSkill[]> {
  return Promise.all((typed.length === 0 ? ["."] : typed).map((each) => skillAt(work, each)));
}

/** Whether a file or folder with this name is packed. Excludes dot-files, dependencies, and temporary files of Python and editors. */
export function isPacked(name: string): boolean {
  return !/^\.|^(?:node_modules|__pycache__|4913)$|~$|^#.*#$/.test(name);
}

/** Returns the files of a folder that are packed. */
export async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join("/"))
    .filter((file) => file.split("/").every(isPacked))
    .sort();
}

export interface PackedFile {
  bytes: Uint8Array;
  isExecutable: boolean;
}

/** Creates a skill's ZIP. Stores file modes but no times. */
export function packFiles(name: string, files: ReadonlyMap<string, PackedFile>): Uint8Array {
  const entry = ({ bytes, isExecutable }: PackedFile) =>
    [bytes, { os: 3, attrs: (0o100000 | (isExecutable ? 0o755 : 0o644)) << 16, mtime: "2020-01-01" }] as const;
  return zipSync(Object.fromEntries([...files].map(([file, packed]) => [`${name}/${file}`, [...entry(packed)]])));
}

/** Packs a folder into a skill's ZIP. `instead` replaces the text of files. `only` limits the files to pack. */
export async function packFolder(
  folder: string,
  instead: ReadonlyMap<string, string> = new Map(),
  only?: readonly string[],
): Promise<Uint8Array> {
  const names = [...new Set([...(only ?? (await filesIn(folder))), ...instead.keys()])].sort();
  const files = await Promise.all(
    names.map(async (file): Promise<[string, PackedFile]> => {
      const text = instead.get(file);
      if (text !== undefined) return [file, { bytes: new TextEncoder().encode(text), isExecutable: false }];
      const source = path.join(folder, file);
      const [bytes, { mode }] = await Promise.all([readFile(source), stat(source)]);
      return [file, { bytes, isExecutable: (mode & 0o111) !== 0 }];
    }),
  );
  return packFiles(path.basename(folder), new Map(files));
}

/** Parses a package locally with the gateway's own parser. */
export async function readSkill(zip: Uint8Array, fileName: string): Promise<PackageOutcome> {
  const outcome = await readPackage(zip, { fileName });
  if (outcome.package === null) return outcome;
  const found = inspect(
    [...filesOf(outcome.package)].map(([file, bytes]) => ({ path: file, size: bytes.length, text: shownText(bytes) })),
  );
  return { ...outcome, warnings: [...found, ...outcome.warnings] };
}

/** Returns the bytes of all files in a package. */
export function filesOf({ files, zip }: SkillPackage): Map<string, Uint8Array> {
  return new Map(files.map(({ path: file, offset, size }) => [file, zip.subarray(offset, offset + size)]));
}

/**
 * Writes a package to its own folder. The files are written to a temporary folder, which then replaces the old one, so that a folder is
 * never incomplete.
 */
export async function writeSkill(parent: string, skill: SkillPackage): Promise<string> {
  const place = path.join(parent, skill.name);
  await mkdir(parent, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST" && error.code !== "ENOTDIR") throw error;
    throw misused(`${parent} is a file. Name a folder.`);
  });
  const scratch = path.join(parent, `.skillgate-${randomUUID()}`);
  return withScratch(scratch, async () => {
    const fresh = path.join(scratch, "new");
    for (const [file, bytes] of filesOf(skill)) {
      const target = path.join(fresh, file);
      await mkdir(path.dirname(target), { recursive: true });
      const mode = skill.files.find((each) => each.path === file)?.mode ?? 0o644;
      await writeFile(target, bytes, { mode });
    }
    const old = path.join(scratch, "old");
    const wasThere = await rename(place, old).then(
      () => true,
      () => false,
    );
    try {
      await rename(fresh, place);
    } catch (error) {
      if (wasThere) await rename(old, place);
      throw error;
    }
    return place;
  });
}

/** Returns the changes that writing a package would make to its folder, including dot-files. `null` if the folder does not exist. */
export async function changesTo(parent: string, skill: SkillPackage): Promise<ChangedFile[] | null> {
  const place = path.join(parent, skill.name);
  const entries = await readdir(place, { recursive: true, withFileTypes: true }).catch((error) => {
    if (error.code === "ENOENT") return null;
    if (error.code === "ENOTDIR")
      throw new Problem(EXIT.conflict, `${place} exists and is not a folder. Use another path.`);
    throw error;
  });
  if (entries === null) return null;
  const here = new Map<string, Uint8Array>();
  for (const entry of entries) {
    if (entry.isDirectory()) continue;
    const file = path.join(entry.parentPath, entry.name);
    // Entries that are not files, such as links, are not read. Each counts as one deleted entry.
    here.set(path.relative(place, file).split(path.sep).join("/"), entry.isFile() ? await readFile(file) : NOTHING);
  }
  return changedFiles(here, filesOf(skill));
}

const NOTHING = new Uint8Array();

/** Deletes a folder if it exists. */
export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}
