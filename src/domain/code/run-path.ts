// Checks paths of files in a script run.

import { checkPath } from "../package/path";
import { SCRIPT_FILES } from "./script-limits";

const { skill, workspace, temporary, home } = SCRIPT_FILES;

/** Folders that a script can write to, the most important first. */
export const RUN_ROOTS: readonly string[] = [workspace, skill, home, temporary];

/** Whether a text is the absolute path of a file in one of these folders, and also valid in an archive. */
export function isRunPath(text: string): boolean {
  const root = RUN_ROOTS.find((folder) => text.startsWith(`${folder}/`));
  if (root === undefined) return false;
  const { path, directory, issues } = checkPath(text.slice(root.length + 1));
  return !directory && issues.length === 0 && `${root}/${path}` === text;
}
