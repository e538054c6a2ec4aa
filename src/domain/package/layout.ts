// Finds the skill in its archive and determines its name.

import type { Issue } from "../errors";
import type { ArchiveEntry } from "./archive";
import { checkName, isName } from "./name";
import { printable } from "./path";
import { SKILL_FILE } from "./skill";

/** The caller's information about the name. */
export interface Naming {
  /** The field `name` of an upload form. */
  name?: string;
  /** The name of the uploaded file. */
  fileName?: string;
  /** The name of the skill that is replaced. */
  expected?: string;
  /** If true, a valid name in the frontmatter takes precedence over everything else, as in the APIs of vendors. */
  isWritten?: boolean;
}

/** The skill's files, relative to its folder. `folder` is `null` if SKILL.md is at the root of the archive. */
export interface Layout {
  folder: string | null;
  skillFile: ArchiveEntry;
  files: ArchiveEntry[];
}

const FOLDED_FILE = SKILL_FILE.toLowerCase();
/** The folder name that GitHub uses in the download of a branch or commit. */
const DOWNLOADED = /^.+-(?:main|master|[0-9a-f]{7,40})$/;

/**
 * Finds the only skill: a folder that contains SKILL.md (in any case), or the files at the root. Issues: `SKILL_FILE_MISSING`,
 * `SKILL_FILE_TOO_DEEP`, `SEVERAL_SKILLS` (one for each), `FILE_OUTSIDE_SKILL`. Warnings: `SKILL_FILE_LOWER_CASE`, `SKILL_NESTED` (a
 * further SKILL.md deeper in the skill counts as a plain file).
 */
export function findLayout(entries: readonly ArchiveEntry[]): {
  layout: Layout | null;
  issues: Issue[];
  warnings: Issue[];
} {
  const found = entries.filter(({ path }) => isSkillFile(path));
  const [skillFile, ...more] = found.filter(({ path }) => depth(path) <= 1);
  if (skillFile === undefined) return { layout: null, issues: [missing(entries, found[0])], warnings: [] };
  // SKILL.md next to skill.md is also a conflict, but `collisions.ts` reports it.
  const others = more.filter(({ path }) => folderOf(path) !== folderOf(skillFile.path));
  if (others.length > 0) {
    const message = "The archive contains several skills. Upload them one by one.";
    const issues = [skillFile, ...others].map(({ path }) => ({ code: "SEVERAL_SKILLS", message, path }));
    return { layout: null, issues, warnings: [] };
  }

  const folder = depth(skillFile.path) === 0 ? null : skillFile.path.slice(0, skillFile.path.indexOf("/"));
  const prefix = folder === null ? "" : `${folder}/`;
  const outside = entries.filter(({ path }) => !path.startsWith(prefix));
  const issues = outside.map(({ path }) => ({
    code: "FILE_OUTSIDE_SKILL",
    message: `The file is outside the skill's folder '${folder}'. Move it into the folder.`,
    path,
  }));
  const warnings = found
    .filter((entry) => entry !== skillFile)
    .map(({ path }) => ({
      code: "SKILL_NESTED",
      message: "A nested skill is not listed as a separate skill. Publish it on its own to list it.",
      path,
    }));
  if (!skillFile.path.endsWith(SKILL_FILE)) {
    const message = "Strict clients require the exact file name `SKILL.md`. Rename the file.";
    warnings.push({ code: "SKILL_FILE_LOWER_CASE", message, path: skillFile.path });
  }
  const strip = (entry: ArchiveEntry) => ({ ...entry, path: entry.path.slice(prefix.length) });
  const files = entries.filter(({ path }) => path.startsWith(prefix)).map(strip);
  return { layout: { folder, skillFile: strip(skillFile), files }, issues, warnings };
}

/**
 * Determines the skill's name. The folder takes precedence. Without a folder, the order is: the replaced skill, the form, a valid
 * frontmatter name, the file name. A valid frontmatter name takes precedence over the folder of a download such as `<x>-main`, and over
 * everything if `isWritten` is set. Issues: `NAME_MISMATCH`, `NAME_INVALID`, `NAME_MISSING`. Warnings: `NAME_DIFFERS` (from the
 * frontmatter), `NAME_FROM_FRONTMATTER` (not from the folder), `NAME_NOT_STRICT`.
 */
export function chooseName(
  folder: string | null,
  frontmatterName: string | undefined,
  naming: Naming,
): { name: string; issues: Issue[]; warnings: Issue[] } {
  const written =
    frontmatterName !== undefined && isName(frontmatterName) ? frontmatterName.normalize("NFC") : undefined;
  const file = naming.fileName?.replace(/^.*[\\/]/, "").replace(/\.zip$/i, "");
  const downloaded = folder !== null && DOWNLOADED.test(folder);
  const candidates: [string | undefined, string][] = [
    [downloaded || naming.isWritten === true ? written : undefined, SKILL_FILE],
    [folder ?? undefined, folder ?? ""],
    [naming.expected, "expected"],
    [naming.name, "name"],
    [written, SKILL_FILE],
    [file !== undefined && isName(file) ? file : undefined, "file"],
  ];
  const [text, where] = candidates.find(([candidate]) => candidate !== undefined) ?? [];
  if (text === undefined || where === undefined) {
    const message = "The skill has no name. Put it into a folder with that name, or send `name`.";
    return { name: "", issues: [{ code: "NAME_MISSING", message }], warnings: [] };
  }
  const { name, issues, warnings } = checkName(text, where);
  for (const [field, value] of [
    ["expected", naming.expected],
    ["name", naming.name],
  ] as const) {
    if (value === undefined || value.normalize("NFC") === name) continue;
    const message =
      field === "expected"
        ? `The package contains the skill '${name}' but the request replaces '${value}'. Rename the folder.`
        : `The package contains the skill '${name}' but the request sends the \`name\` '${value}'. Change one of them.`;
    issues.push({ code: "NAME_MISMATCH", message, path: where });
  }
  if (downloaded && name !== folder.normalize("NFC")) {
    const message = `The folder name '${printable(folder)}' looks like a download. The name '${name}' from the frontmatter is used.`;
    warnings.push({ code: "NAME_FROM_FRONTMATTER", message, path: SKILL_FILE });
  }
  if (written !== undefined && written !== name) {
    const message = `The \`name\` in the frontmatter is '${written}', but the skill is published as '${name}'. Make them equal.`;
    warnings.push({ code: "NAME_DIFFERS", message, path: SKILL_FILE });
  }
  return { name, issues, warnings };
}

/** Returns the issue for a missing SKILL.md. It names the entries found, because the author has to change those. */
function missing(entries: readonly ArchiveEntry[], deep: ArchiveEntry | undefined): Issue {
  if (deep !== undefined) {
    const message = "The skill's folder is not at the top of the archive. Move it there.";
    return { code: "SKILL_FILE_TOO_DEEP", message, path: deep.path };
  }
  const similar = entries.find(({ path }) => path.toLowerCase().endsWith(FOLDED_FILE));
  const message = "`SKILL.md` not found. Add it at the root or in one folder.";
  return { code: "SKILL_FILE_MISSING", message, ...(similar === undefined ? {} : { path: similar.path }) };
}

function isSkillFile(path: string): boolean {
  return path.slice(path.lastIndexOf("/") + 1).toLowerCase() === FOLDED_FILE;
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}

function depth(path: string): number {
  return path.split("/").length - 1;
}
