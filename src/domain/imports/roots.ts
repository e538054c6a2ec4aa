// Finds the skills in an archive: each folder with a SKILL.md that is not inside another skill.

import { checkPath } from "../package/path";
import { IMPORT_LIMITS } from "./limits";

const SKILL = /(?:^|\/)SKILL\.md$/i;

/** Returns a path below the single top folder that Git hosts add, and below the requested folder; `null` for other paths. */
export function pathWithin(entry: string, below: string): string | null {
  const within = entry.split("/").slice(1).join("/");
  if (below === "") return within;
  return within.startsWith(`${below}/`) ? within : null;
}

/** Whether a path leads out of the archive. */
export function escapesArchive(entry: string): boolean {
  return checkPath(entry).issues.some(({ code }) => code === "PATH_DOT_SEGMENT" || code === "PATH_ABSOLUTE");
}

/** Returns the outermost folders of skills among these paths, in order. `""` is the archive itself. */
export function rootsOf(paths: Iterable<string>): string[] {
  const found = new Set<string>();
  for (const path of paths) if (SKILL.test(path)) found.add(path.replace(/\/?SKILL\.md$/i, ""));
  return [...found].filter((root) => !above(root).some((outer) => found.has(outer))).sort();
}

/** Returns a function that finds the root of a path, from the innermost folder outwards. */
export function rootFinder(roots: Iterable<string>): (path: string) => string | null {
  const known = new Set(roots);
  return (path) => above(path).find((folder) => known.has(folder)) ?? null;
}

/** Returns the skill's name: its folder. */
export function nameOfRoot(root: string): string {
  return root.slice(root.lastIndexOf("/") + 1);
}

/** Whether there are more skills than one import accepts. */
export function hasTooManyRoots(roots: readonly string[]): boolean {
  return roots.length > IMPORT_LIMITS.skills;
}

/** Returns all folders that contain a path, nearest first. */
function above(path: string): string[] {
  const folders: string[] = [];
  for (let end = path.lastIndexOf("/"); end >= 0; end = path.lastIndexOf("/", end - 1)) {
    folders.push(path.slice(0, end));
    if (end === 0) break;
  }
  return path === "" ? [] : [...folders, ""];
}
