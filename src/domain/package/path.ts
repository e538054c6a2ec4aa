// Checks paths inside a package, and compares names.

import type { Issue } from "../errors";
import { PACKAGE_LIMITS } from "../limits";

/** The result of checking a path. Use `path` only if `issues` is empty. */
export interface PathCheck {
  /** NFC, without the trailing slash of a folder. */
  path: string;
  directory: boolean;
  issues: Issue[];
  warnings: Issue[];
}

/** C0, DEL, C1 and the two Unicode line separators, which break listings, headers and prompts. */
const CONTROL = /[\p{Cc}\u2028\u2029]/u;
/** Characters that reorder the surrounding text, so that a name is displayed as another one. */
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const DRIVE = /^[A-Za-z]:/;
const WINDOWS_RESERVED = /^(?:con|prn|aux|nul|com[1-9]|lpt[1-9])(?:\.|$)|[<>:"|?*]|[. ]$/i;

/**
 * Checks a path from an archive or a caller. Issues: all `PATH_*` that apply. A name that is invalid only on Windows produces the warning
 * `PATH_NOT_PORTABLE`.
 *
 * @param text relative, `/` as separator; a trailing slash means a folder
 */
export function checkPath(text: string): PathCheck {
  const normal = text.normalize("NFC");
  const directory = normal.endsWith("/");
  const path = directory ? normal.slice(0, -1) : normal;
  const segments = path.split("/");
  // Messages contain the escaped path, because a rejected path may contain control characters.
  const shown = printable(path);

  const broken: [boolean, string, string][] = [
    [path === "" && !directory, "PATH_EMPTY", "The path is empty. Name the file."],
    [normal.startsWith("/"), "PATH_ABSOLUTE", "The path is absolute. Use a path relative to the skill's folder."],
    [
      DRIVE.test(path),
      "PATH_DRIVE_LETTER",
      "The path starts with a drive letter. Use a path relative to the skill's folder.",
    ],
    [path.includes("\\"), "PATH_BACKSLASH", "The path contains a backslash. Separate folders with `/`."],
    [
      segments.includes(".") || segments.includes(".."),
      "PATH_DOT_SEGMENT",
      "The path contains a `.` or `..` segment. Remove it.",
    ],
    [segments.slice(1).includes(""), "PATH_EMPTY_SEGMENT", "The path contains an empty segment. Remove it."],
    [
      CONTROL.test(path) || !path.isWellFormed(),
      "PATH_CONTROL",
      "The path contains a control character. Rename the file.",
    ],
    [
      BIDI.test(path),
      "PATH_BIDI",
      "The path contains a character that changes the reading direction. Rename the file.",
    ],
    [
      new TextEncoder().encode(path).length > PACKAGE_LIMITS.pathBytes,
      "PATH_TOO_LONG",
      `Path too long (limit ${PACKAGE_LIMITS.pathBytes} bytes). Use shorter names.`,
    ],
  ];
  const issues = broken.filter(([applies]) => applies).map(([, code, message]) => ({ code, message, path: shown }));
  const warnings =
    issues.length === 0 && segments.some((segment) => WINDOWS_RESERVED.test(segment))
      ? [{ code: "PATH_NOT_PORTABLE", message: "Windows does not allow this file name. Rename the file.", path: shown }]
      : [];
  return { path, directory, issues, warnings };
}

/**
 * Returns the file of a package that a requested path refers to: `./a`, `b/../a` and `.//a` are `a`. Absolute paths, and paths that leave
 * the package, match no file.
 */
export function findFile<F extends { path: string }>(files: readonly F[], asked: string): F | undefined {
  const path = plainPath(asked);
  return path === null ? undefined : files.find((file) => file.path === path);
}

/** Returns a path without `.`, `..` and empty segments, or `null` if it is absolute or leaves the package. */
export function plainPath(text: string): string | null {
  if (text.startsWith("/")) return null;
  const segmentsLeft: string[] = [];
  for (const segment of text.split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment !== "..") segmentsLeft.push(segment);
    else if (segmentsLeft.pop() === undefined) return null;
  }
  return segmentsLeft.join("/");
}

/** Returns the form in which two names are compared. Equal results mean that some file system treats them as one. */
export function foldName(text: string): string {
  return text.normalize("NFC").toUpperCase().toLowerCase();
}

/** Returns the text with control, bidi and invalid characters as escapes, truncated to a readable length. */
export function printable(text: string): string {
  const escaped = text
    .toWellFormed()
    .replace(
      /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
  return escaped.length > 300 ? `${escaped.slice(0, 300)}…` : escaped;
}

/**
 * Files that are common in authors' folders but not part of a skill: version control history, installed packages, caches, settings of a
 * machine, and files added by operating systems.
 */
const FOLDERS = new Set([".git", "node_modules", "__pycache__"]);
const FILES = new Set([".ds_store", "thumbs.db", "desktop.ini"]);
/** Private values. Example files contain none, and instructions refer to them. */
const ENVIRONMENT = /^\.env(?!\.(?:example|sample|template|dist)$)/;
const LISTED = 10;

/** Returns the folder or file because of which a path is ignored, in any spelling, or `null` if the path belongs to the skill. */
export function ignoredPathPart(path: string): string | null {
  const segments = path.split("/");
  const at = segments.findIndex((segment, index) => {
    const name = segment.toLowerCase();
    const isFile = index === segments.length - 1;
    if (FOLDERS.has(name) || (index === 0 && name === "__macosx")) return true;
    return isFile && (FILES.has(name) || name.startsWith("._") || ENVIRONMENT.test(name));
  });
  return at < 0 ? null : segments.slice(0, at + 1).join("/");
}

/** Returns one warning that lists the ignored paths, or none. */
export function ignoredPathWarnings(paths: readonly string[]): Issue[] {
  const parts = Map.groupBy(paths, (path) => ignoredPathPart(path) ?? path);
  const [first] = parts.keys();
  if (first === undefined) return [];
  const listed = [...parts].slice(0, LISTED).map(([part, all]) => {
    const name = printable(part);
    return all.length === 1 && all[0] === part ? name : `${name}/ (${all.length} files)`;
  });
  const more = parts.size > LISTED ? ` and ${parts.size - LISTED} more` : "";
  const message = `Files that do not belong to a skill were removed: ${listed.join(", ")}${more}. Leave them out of the package.`;
  return [{ code: "PLATFORM_FILES_DROPPED", message, path: printable(paths[0] ?? first) }];
}
