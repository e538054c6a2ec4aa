// Where the files of a run may lie.

import { checkPath } from "../package/path";
import { SCRIPT_FILES } from "./script-limits";

const { skill, workspace, temporary, home } = SCRIPT_FILES;

/** The folders that a script may write to: where people look first, comes first. */
export const RUN_ROOTS: readonly string[] = [workspace, skill, home, temporary];

/** Whether this is the full path of a file in one of them, which could stand in an archive too. */
export function isRunPath(text: string): boolean {
  const root = RUN_ROOTS.find((folder) => text.startsWith(`${folder}/`));
  if (root === undefined) return false;
  const { path, directory, issues } = checkPath(text.slice(root.length + 1));
  return !directory && issues.length === 0 && `${root}/${path}` === text;
}
