// Selects the files of a package that are checked, and the files that are read for the check. The gateway calls this before compiling.

import { CODE_LIMITS } from "../../limits";
import type { PackageFile } from "../../package/skill";
import { languageOf } from "../language";

/** Scripts in unsupported languages, and binaries. */
const FOREIGN = /\.(?:ps1|psm1|bat|cmd|rb|pl|php|lua|r|jl|go|rs|java|swift|scpt|applescript|fish|zsh|awk|exe|jar)$/i;
/** Folders of third-party packages. */
const BROUGHT = /(?:^|\/)(?:node_modules|vendor|wheels)\//;
const WHEEL = /^(?:vendor|wheels)\/[^/]+\.whl$/;

/** Files that name Python packages for the scripts in their folder and below. */
const REQUIREMENTS = /(?:^|\/)requirements\.txt$/;

/** Whether a file names the packages of scripts. */
export function isRequirements(path: string): boolean {
  return REQUIREMENTS.test(path) && !BROUGHT.test(path);
}

/** Whether a file gets a verdict: the package's own scripts, in any language. */
export function isJudged(path: string): boolean {
  return (languageOf(path) !== null || FOREIGN.test(path)) && !BROUGHT.test(path);
}

/** Whether a file is a wheel. Python's `import` searches wheels too. */
export function isWheel(path: string): boolean {
  return WHEEL.test(path);
}

/** Returns the files to read in addition to the compiler's input, up to the size limit. */
export function readableScripts(files: readonly PackageFile[]): Set<PackageFile> {
  const found = new Set<PackageFile>();
  let room: number = CODE_LIMITS.packageBytes;
  for (const file of files) {
    const language = languageOf(file.path);
    const isRead = (language !== null && language !== "javascript") || isWheel(file.path) || isRequirements(file.path);
    if (!isRead) continue;
    if (file.size > Math.min(CODE_LIMITS.moduleBytes, room)) continue;
    room -= file.size;
    found.add(file);
  }
  return found;
}
