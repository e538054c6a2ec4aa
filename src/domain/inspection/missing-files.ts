// Finds files that SKILL.md mentions and the package does not contain.

import { INSPECTION_LIMITS } from "../limits";
import { SKILL_FILE } from "../package/skill";
import type { Finding, InspectedFile } from "./finding";
import { lineCounter } from "./finding";

/** Matches targets of Markdown links, and paths in code spans that begin with a usual folder of skills. */
const REFERENCE =
  /\]\(\s{0,9}<?([^()\s<>]{1,300})(?=[)\s>])|`(?:\.\/)?((?:scripts|references|assets|templates|resources)\/[\w./-]{1,200}\.\w{1,8})`/g;
const ELSEWHERE = /^(?:[a-z][a-z0-9+.-]*:|#|\/|~|\$|\{|<)|[{}*<>$]|\.\.\//i;

export function missingReferences(files: readonly InspectedFile[]): Finding[] {
  const main = files.find((file) => file.path.toLowerCase() === SKILL_FILE.toLowerCase());
  const text = main?.text ?? null;
  if (main === undefined || text === null) return [];
  const there = pathsAndFolders(files);
  const missing = new Set<string>();
  const findings: Finding[] = [];
  const lineOf = lineCounter(text);
  for (const { 0: _whole, 1: link, 2: span, index } of text.matchAll(REFERENCE)) {
    const path = pathOf(link ?? span ?? "");
    if (path === null || missing.has(path) || there.has(path)) continue;
    missing.add(path);
    const message = `The file '${path}' is mentioned but not in the package. Add it, or remove the mention.`;
    findings.push({ code: "FILE_MISSING", message, path: main.path, line: lineOf(index), severity: "low" });
    if (findings.length >= INSPECTION_LIMITS.perRule) break;
  }
  return findings;
}

/** Returns the path inside the package; `null` for other targets, patterns, and placeholders such as `(url)`. */
function pathOf(reference: string): string | null {
  if (ELSEWHERE.test(reference) || !/[./]/.test(reference)) return null;
  const path = (reference.split(/[#?]/, 1)[0] ?? "").replace(/^\.\//, "").replace(/\/$/, "");
  try {
    return path === "" ? null : decodeURIComponent(path);
  } catch {
    // Matches a percent sign that does not begin an encoded character.
    return path;
  }
}

/** A folder exists if it contains a file. */
function pathsAndFolders(files: readonly InspectedFile[]): Set<string> {
  const all = new Set<string>();
  for (const { path } of files)
    for (let end = path.length; end > 0 && !all.has(path.slice(0, end)); end = path.lastIndexOf("/", end - 1))
      all.add(path.slice(0, end));
  return all;
}
