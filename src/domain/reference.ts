// References `name` or `name@range` of ghosts, allow-lists and dependencies to skills. Ranges are npm's (node-semver).

import compare from "semver/functions/compare-loose";
import satisfies from "semver/functions/satisfies";
import validRange from "semver/ranges/valid";

/** A reference to a skill by name; `range` is `*` by default. */
export interface SkillReference {
  name: string;
  range: string;
}

/** Prefix of references to drafts. Skill names contain no colon. */
export const DRAFT_PREFIX = "draft:";

/** Parses `name` or `name@range`. Returns `null` for other texts. A draft has one version and no range. */
export function parseReference(text: string): SkillReference | null {
  if (text.startsWith(DRAFT_PREFIX)) return { name: text.trim(), range: "*" };
  const at = text.indexOf("@");
  const name = (at < 0 ? text : text.slice(0, at)).trim();
  const range = at < 0 ? "*" : text.slice(at + 1).trim();
  if (name === "" || range === "") return null;
  return validRange(range) === null ? null : { name, range };
}

/** Whether a version label satisfies a range. A version without a semver label satisfies only `*`. */
export function satisfiesRange(label: string | null, range: string): boolean {
  if (range === "*") return true;
  return label !== null && satisfies(label, range, { loose: true });
}

/** Compares semver labels, newest first. The labels must be valid. */
export function newestFirst(a: string, b: string): number {
  return compare(b, a);
}
