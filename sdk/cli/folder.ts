// Skills as folders: read into a package, and written out of one, whole or not at all.

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

/** A skill that was named: a folder with a SKILL.md, or a ZIP. */
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
  if ((await stat(path.join(place, "SKILL.md")).catch(() => null)) === null) throw misused(`${place} has no SKILL.md.`);
  return { name: path.basename(place), place, isFolder: true, zip: () => packFolder(place) };
}

/** The skills that were named; the folder one stands in where none was. */
export function skillsAt(work: Work, typed: readonly string[]): Promise<NamedSkill[]> {
  return Promise.all((typed.length === 0 ? ["."] : typed).map((each) => skillAt(work, each)));
}

/** Whether a file or folder of this name is packed: no dot-files, no dependencies, nothing that Python or an editor leaves behind. */
export function isPacked(name: string): boolean {
  return !/^\.|^(?:node_modules|__pycache__|4913)$|~$|^#.*#$/.test(name);
}

/** Files of a folder as they are packed. */
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

/** Files as a skill's ZIP; modes are kept, times are not. */
export function packFiles(name: string, files: ReadonlyMap<string, PackedFile>): Uint8Array {
  const entry = ({ bytes, isExecutable }: PackedFile) =>
    [bytes, { os: 3, attrs: (0o100000 | (isExecutable ? 0o755 : 0o644)) << 16, mtime: "2020-01-01" }] as const;
  return zipSync(Object.fromEntries([...files].map(([file, packed]) => [`${name}/${file}`, [...entry(packed)]])));
}

/** A folder as a skill's ZIP; `instead`: files with other texts than they have there; `only`: the files to pack. */
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

/** What the gateway's own reader says of a package, here. */
export async function readSkill(zip: Uint8Array, fileName: string): Promise<PackageOutcome> {
  const outcome = await readPackage(zip, { fileName });
  if (outcome.package === null) return outcome;
  const found = inspect(
    [...filesOf(outcome.package)].map(([file, bytes]) => ({ path: file, size: bytes.length, text: shownText(bytes) })),
  );
  return { ...outcome, warnings: [...found, ...outcome.warnings] };
}

/** The files of a package with their bytes. */
export function filesOf({ files, zip }: SkillPackage): Map<string, Uint8Array> {
  return new Map(files.map(({ path: file, offset, size }) => [file, zip.subarray(offset, offset + size)]));
}

/**
 * Writes a package to a folder of its own. Nobody sees half of it: it is written beside its place and moved there, and what was there
 * goes only then.
 */
export async function writeSkill(parent: string, skill: SkillPackage): Promise<string> {
  const place = path.join(parent, skill.name);
  await mkdir(parent, { recursive: true });
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

/** What a package would change in the folder that it would be written to; `null`: there is none. What begins with a dot counts, too. */
export async function changesTo(parent: string, skill: SkillPackage): Promise<ChangedFile[] | null> {
  const place = path.join(parent, skill.name);
  const entries = await readdir(place, { recursive: true, withFileTypes: true }).catch((error) => {
    if (error.code === "ENOENT") return null;
    if (error.code === "ENOTDIR") throw new Problem(EXIT.conflict, `${place} is there already, and is no folder.`);
    throw error;
  });
  if (entries === null) return null;
  const here = new Map<string, Uint8Array>();
  for (const entry of entries) {
    if (entry.isDirectory()) continue;
    const file = path.join(entry.parentPath, entry.name);
    // Of what is no file, such as a link, nothing is read: it is one thing that would go.
    here.set(path.relative(place, file).split(path.sep).join("/"), entry.isFile() ? await readFile(file) : NOTHING);
  }
  return changedFiles(here, filesOf(skill));
}

const NOTHING = new Uint8Array();

/** Takes a folder away, as one step. */
export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}
