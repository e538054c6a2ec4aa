// Files that SKILL.md sends a model to and that are not in the package.

import type { Finding, InspectedFile } from "./inspection";
import { INSPECTION_LIMITS } from "./limits";
import { SKILL_FILE } from "./skill";

/** A link's target in Markdown, and a path in a code span that begins with one of the folders skills have. */
const REFERENCE =
  /\]\(\s{0,9}<?([^)\s>]{1,300})>?(?:\s{1,9}"[^"\n]{0,200}")?\s{0,9}\)|`(?:\.\/)?((?:scripts|references|assets|templates|resources)\/[\w./-]{1,200}\.\w{1,8})`/g;
const ELSEWHERE = /^(?:[a-z][a-z0-9+.-]*:|#|\/|~|\$|\{|<)|[{}*<>$]|\.\.\//i;

export function missingReferences(files: readonly InspectedFile[]): Finding[] {
  const main = files.find((file) => file.path.toLowerCase() === SKILL_FILE.toLowerCase());
  if (main?.text == null) return [];
  const paths = new Set(files.map((file) => file.path));
  const missing = new Set<string>();
  const findings: Finding[] = [];
  let line = 1;
  let from = 0;
  for (const { 0: _whole, 1: link, 2: span, index } of main.text.matchAll(REFERENCE)) {
    for (let at = main.text.indexOf("\n", from); at >= 0 && at < index; at = main.text.indexOf("\n", at + 1)) line++;
    from = index;
    const path = pathOf(link ?? span ?? "");
    if (path === null || missing.has(path) || isThere(paths, path)) continue;
    missing.add(path);
    const message = `It names the file '${path}', which is not in the package.`;
    findings.push({ code: "FILE_MISSING", message, path: main.path, line, severity: "low" });
    if (findings.length >= INSPECTION_LIMITS.perRule) break;
  }
  return findings;
}

/** The path inside the package, or `null` for what leads elsewhere or is a pattern. */
function pathOf(reference: string): string | null {
  if (ELSEWHERE.test(reference)) return null;
  const path = (reference.split(/[#?]/, 1)[0] ?? "").replace(/^\.\//, "").replace(/\/$/, "");
  try {
    return path === "" ? null : decodeURIComponent(path);
  } catch {
    // A percent sign that is none of an encoding.
    return path;
  }
}

/** Folders are there when something is in them. */
function isThere(paths: ReadonlySet<string>, path: string): boolean {
  if (paths.has(path)) return true;
  for (const known of paths) if (known.startsWith(`${path}/`)) return true;
  return false;
}
