// Which files of a package are judged, and what is read for it. The gateway asks before anything is compiled.

import { CODE_LIMITS } from "../../limits";
import type { PackageFile } from "../../package/skill";
import { languageOf } from "../language";

/** Scripts that nothing here reads, and programs. */
const FOREIGN = /\.(?:ps1|psm1|bat|cmd|rb|pl|php|lua|r|jl|go|rs|java|swift|scpt|applescript|fish|zsh|awk|exe|jar)$/i;
/** Where other people's packages lie. */
const BROUGHT = /(?:^|\/)(?:node_modules|vendor|wheels)\//;
const WHEEL = /^(?:vendor|wheels)\/[^/]+\.whl$/;

/** Whether anything is said of a file: scripts of the package's own, in whatever language. */
export function isJudged(path: string): boolean {
  return (languageOf(path) !== null || FOREIGN.test(path)) && !BROUGHT.test(path);
}

/** Where `import` of Python looks, too. */
export function isWheel(path: string): boolean {
  return WHEEL.test(path);
}

/** What is read for it beside what the compiler reads, as much as there is room for. */
export function readableScripts(files: readonly PackageFile[]): Set<PackageFile> {
  const found = new Set<PackageFile>();
  let room: number = CODE_LIMITS.packageBytes;
  for (const file of files) {
    const language = languageOf(file.path);
    if ((language === null || language === "javascript") && !isWheel(file.path)) continue;
    if (file.size > Math.min(CODE_LIMITS.moduleBytes, room)) continue;
    room -= file.size;
    found.add(file);
  }
  return found;
}
