// Finds paths that collide: on some file systems the second overwrites or hides the first.

import type { Issue } from "../errors";
import { foldName } from "./path";

/** A checked path: NFC, no trailing slash. */
export interface PlacedPath {
  path: string;
  directory: boolean;
}

/**
 * Compares all paths of a package with each other after NFC and case folding. Issues: `PATH_DUPLICATE`, `PATH_FILE_AS_FOLDER`. Folders that
 * differ only in case are merged on some file systems, without data loss. They produce the warning `FOLDER_CASE_CLASH`.
 */
export function checkCollisions(paths: readonly PlacedPath[]): { issues: Issue[]; warnings: Issue[] } {
  const issues: Issue[] = [];
  const files = new Map<string, string>();
  const listed = new Set<string>();
  for (const { path, directory } of paths) {
    const folded = foldName(path);
    const known = directory ? (listed.has(path) ? path : undefined) : files.get(folded);
    if (known !== undefined) {
      issues.push({
        code: "PATH_DUPLICATE",
        message: `Two entries have the same path: '${known}' and '${path}'. Rename one.`,
        path,
      });
    }
    if (directory) listed.add(path);
    else files.set(folded, path);
  }

  const warnings: Issue[] = [];
  for (const [folded, spellings] of folderSpellings(paths)) {
    const file = files.get(folded);
    const [first, second] = spellings;
    if (file !== undefined) {
      issues.push({
        code: "PATH_FILE_AS_FOLDER",
        message: "The path is both a file and a folder. Rename one.",
        path: file,
      });
    } else if (second !== undefined) {
      const message = `The folders '${first}' and '${second}' are the same folder on Windows and macOS. Rename one.`;
      warnings.push({ code: "FOLDER_CASE_CLASH", message, path: second });
    }
  }
  return { issues, warnings };
}

/** Returns every folder that a path names or implies, by its folded form. */
function folderSpellings(paths: readonly PlacedPath[]): Map<string, Set<string>> {
  const folders = new Map<string, Set<string>>();
  for (const { path, directory } of paths) {
    const segments = path.split("/");
    for (let depth = 1; depth < segments.length + (directory ? 1 : 0); depth++) {
      const folder = segments.slice(0, depth).join("/");
      const folded = foldName(folder);
      folders.set(folded, (folders.get(folded) ?? new Set()).add(folder));
    }
  }
  return folders;
}
