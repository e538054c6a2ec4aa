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
    [normal.startsWith("/"), "PATH_ABSOLUTE", "The path is absolute."],
    [DRIVE.test(path), "PATH_DRIVE_LETTER", "The path starts with a drive letter."],
    [path.includes("\\"), "PATH_BACKSLASH", "The path contains a backslash; folders are separated by `/`."],
    [segments.includes(".") || segments.includes(".."), "PATH_DOT_SEGMENT", "The path has a `.` or `..` segment."],
    [segments.slice(1).includes(""), "PATH_EMPTY_SEGMENT", "The path has an empty segment."],
    [CONTROL.test(path) || !path.isWellFormed(), "PATH_CONTROL", "The path contains a control character."],
    [BIDI.test(path), "PATH_BIDI", "The path contains a character that changes the reading direction."],
    [
      new TextEncoder().encode(path).length > PACKAGE_LIMITS.pathBytes,
      "PATH_TOO_LONG",
      `The path is longer than ${PACKAGE_LIMITS.pathBytes} bytes.`,
    ],
  ];
  const issues = broken.filter(([applies]) => applies).map(([, code, message]) => ({ code, message, path: shown }));
  const warnings =
    issues.length === 0 && segments.some((segment) => WINDOWS_RESERVED.test(segment))
      ? [{ code: "PATH_NOT_PORTABLE", message: "Windows cannot store a file of this name.", path: shown }]
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
