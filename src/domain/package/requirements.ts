// Reads which Python packages a skill declares: inline script metadata (PEP 723), requirements.txt, and `requirements` in SKILL.md.

/** The number of requirements of a script, and the characters of each. */
export const REQUIREMENTS = 60;
const CHARS = 200;

/** A package and its versions, as PEP 508 writes them. */
export interface Requirement {
  /** Normalized: lower case, with `-` in place of `_` and `.` (PEP 503). */
  name: string;
  /** Version specifiers (PEP 440), without spaces. An empty text allows every version. */
  versions: string;
}

/** Returns the lines of a requirements.txt that name a package, without comments, options and line continuations. */
export function requirementLines(text: string): string[] {
  const lines = text
    .replaceAll(/\\\r?\n/g, " ")
    .split(/\r?\n/)
    .map((line) => line.replace(/(?:^|\s)#.*$/, "").replace(/\s--?\w.*$/, ""));
  return bounded(lines.filter((line) => !/^\s*-/.test(line)));
}

/** Returns the `dependencies` of a script's inline metadata. */
export function inlineRequirements(source: string): string[] {
  const block = /^# \/\/\/ script[^\S\n]*\r?\n((?:#(?: .*)?\r?\n)+?)# \/\/\/[^\S\n]*$/m.exec(source)?.[1];
  if (block === undefined) return [];
  const toml = block.replaceAll(/^# ?/gm, "");
  const start = /^dependencies[^\S\n]*=[^\S\n]*\[/m.exec(toml);
  if (start === null) return [];
  const found: string[] = [];
  const token = /\s+|,|#[^\n]*|"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)'/y;
  token.lastIndex = start.index + start[0].length;
  for (let match = token.exec(toml); match !== null; match = token.exec(toml)) {
    const text = match[1]?.replaceAll(/\\(.)/g, "$1") ?? match[2];
    if (text !== undefined) found.push(text);
  }
  return bounded(found);
}

function bounded(lines: readonly string[]): string[] {
  const kept = lines.map((line) => line.trim()).filter((line) => line !== "" && line.length <= CHARS);
  return [...new Set(kept)].slice(0, REQUIREMENTS);
}

/** Returns the package of a requirement, or `null` if the text is none. A marker (`; python_version < "3.9"`) is ignored. */
export function requirementOf(text: string): Requirement | null {
  const match = /^([A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)\s*(?:\[[^\]]*\])?\s*(@.*|\(?[^;@()]*\)?)?\s*(?:;.*)?$/.exec(
    text.trim(),
  );
  if (match === null) return null;
  const [, name = "", rest = ""] = match;
  const versions = rest.startsWith("@") ? "" : rest.replaceAll(/[\s()]/g, "");
  if (versions !== "" && !/^(?:===?|[<>~!]=|[<>])/.test(versions)) return null;
  return { name: packageName(name), versions };
}

/** Returns a package name in its normalized form (PEP 503). */
export const packageName = (name: string) => name.toLowerCase().replaceAll(/[-_.]+/g, "-");

/** Whether a version satisfies the specifiers. Only the numbers of a release are compared; what cannot be compared counts as satisfied. */
export function isSatisfied(version: string, versions: string): boolean {
  return versions.split(",").every((one) => {
    const [, operator = "", wanted = ""] = /^(===?|[<>~!]=|[<>])(.+)$/.exec(one) ?? [];
    const isPrefix = wanted.endsWith(".*");
    const [have, want] = [release(version), release(isPrefix ? wanted.slice(0, -2) : wanted)];
    if (have === null || want === null) return true;
    const order = compare(have, want);
    const hasPrefix = want.every((part, at) => part === (have[at] ?? 0));
    switch (operator) {
      case "==":
      case "===":
        return isPrefix ? hasPrefix : order === 0;
      case "!=":
        return !(isPrefix ? hasPrefix : order === 0);
      case ">=":
        return order >= 0;
      case "<=":
        return order <= 0;
      case ">":
        return order > 0;
      case "<":
        return order < 0;
      case "~=":
        return order >= 0 && want.slice(0, -1).every((part, at) => part === (have[at] ?? 0));
      default:
        return true;
    }
  });
}

/** Returns the numbers of a release (`1.26.4`), without the parts for pre-releases and builds. */
function release(version: string): number[] | null {
  const match = /^v?(\d+(?:\.\d+)*)/.exec(version);
  return match?.[1]?.split(".").map(Number) ?? null;
}

function compare(one: readonly number[], other: readonly number[]): number {
  for (let at = 0; at < Math.max(one.length, other.length); at++) {
    const difference = (one[at] ?? 0) - (other[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
