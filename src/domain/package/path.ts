// The rules of paths inside a package, and when two names count as the same.

import type { Issue } from "../errors";
import { PACKAGE_LIMITS } from "../limits";

/** What a path is. Use `path` only when `issues` is empty. */
export interface PathCheck {
  /** NFC, without the trailing slash of a directory. */
  path: string;
  directory: boolean;
  issues: Issue[];
  warnings: Issue[];
}

/** C0, DEL, C1 and the two Unicode line separators: they break listings, headers and prompts. */
const CONTROL = /[\p{Cc}\u2028\u2029]/u;
/** Characters that reorder the text around them, so that a name reads as another. */
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const DRIVE = /^[A-Za-z]:/;
const WINDOWS_RESERVED = /^(?:con|prn|aux|nul|com[1-9]|lpt[1-9])(?:\.|$)|[<>:"|?*]|[. ]$/i;

/**
 * Checks a path as an archive or a caller wrote it. Issues: `PATH_*`, all that apply. A name that only Windows cannot
 * hold is the warning `PATH_NOT_PORTABLE`.
 *
 * @param text relative, `/` as separator; a trailing slash means a directory
 */
export function checkPath(text: string): PathCheck {
  const normal = text.normalize("NFC");
  const directory = normal.endsWith("/");
  const path = directory ? normal.slice(0, -1) : normal;
  const segments = path.split("/");
  // In a message or a problem document the path must not do what it is refused for.
  const shown = printable(path);

  const broken: [boolean, string, string][] = [
    [path === "" && !directory, "PATH_EMPTY", "The path is empty."],
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
      `Path too long (limit ${PACKAGE_LIMITS.pathBytes} bytes).`,
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
 * The file of a package that somebody who asks for it means: `./a`, `b/../a` and `.//a` are `a`. Nothing but the package's own list is
 * looked at, so what a path leaves, or is absolute, names no file.
 */
export function findFile<F extends { path: string }>(files: readonly F[], asked: string): F | undefined {
  const path = plainPath(asked);
  return path === null ? undefined : files.find((file) => file.path === path);
}

/** A path without `.`, `..` and empty segments; `null` where it is absolute or leads out. */
export function plainPath(text: string): string | null {
  if (text.startsWith("/")) return null;
  const kept: string[] = [];
  for (const segment of text.split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment !== "..") kept.push(segment);
    else if (kept.pop() === undefined) return null;
  }
  return kept.join("/");
}

/** The form in which two names are compared: equal results mean that some file system takes them for one. */
export function foldName(text: string): string {
  return text.normalize("NFC").toUpperCase().toLowerCase();
}

/** The text with every control, bidi and broken character written as an escape, and cut to a readable length. */
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
 * What lies in the folders of authors and is no part of a skill: histories, installed packages, caches, the settings of a
 * machine, and files that systems add.
 */
const FOLDERS = new Set([".git", "node_modules", "__pycache__"]);
const FILES = new Set([".ds_store", "thumbs.db", "desktop.ini"]);
/** Values of somebody's own. An example has none, and instructions send people to it. */
const ENVIRONMENT = /^\.env(?!\.(?:example|sample|template|dist)$)/;
const LISTED = 10;

/** The folder or file for which a path is left out, however it is written; `null` for what belongs to the skill. */
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

/** The one warning that lists what was left out; none where nothing was. */
export function ignoredPathWarnings(paths: readonly string[]): Issue[] {
  const parts = Map.groupBy(paths, (path) => ignoredPathPart(path) ?? path);
  const [first] = parts.keys();
  if (first === undefined) return [];
  const listed = [...parts].slice(0, LISTED).map(([part, all]) => {
    const name = printable(part);
    return all.length === 1 && all[0] === part ? name : `${name}/ (${all.length} files)`;
  });
  const more = parts.size > LISTED ? ` and ${parts.size - LISTED} more` : "";
  const message = `Files that do not belong to a skill were removed: ${listed.join(", ")}${more}.`;
  return [{ code: "PLATFORM_FILES_DROPPED", message, path: printable(paths[0] ?? first) }];
}
