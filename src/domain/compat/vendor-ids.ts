// Converts ids to and from the format of vendors' APIs by replacing the prefix. Ids with the gateway's own prefix are not valid there.

const SKILL = /^skill_(\w{1,40})$/;
const VERSION = /^(?:skver|skillver)_(\w{1,40})$/;

export function vendorSkillId(id: string): string {
  return id.replace(/^skl_/, "skill_");
}

/** Returns the gateway's id for a vendor's id; `null` if it is not valid. */
export function skillIdOf(text: string): string | null {
  const rest = SKILL.exec(text)?.[1];
  return rest === undefined ? null : `skl_${rest}`;
}

/** @param beta for the beta version of the API */
export function vendorVersionId(id: string, beta = false): string {
  return id.replace(/^ver_/, beta ? "skillver_" : "skver_");
}

/** Returns the id of a version; `null` if it is not valid. */
export function versionIdOf(text: string): string | null {
  const rest = VERSION.exec(text)?.[1];
  return rest === undefined ? null : `ver_${rest}`;
}

/**
 * Returns the beta's name of a version: its creation time in microseconds. The gateway stores milliseconds. The version's number fills the
 * rest, so that names are unique within a skill.
 */
export function microsecondsOf({ createdAt, number }: { createdAt: number; number: number }): string {
  return String(createdAt * 1_000 + (number % 1_000));
}

/** Returns the parts of such a name; `null` if it is not valid. */
export function createdAtOf(text: string): { createdAt: number; rest: number } | null {
  if (!/^\d{13,16}$/.test(text)) return null;
  const value = Number(text);
  return { createdAt: Math.floor(value / 1_000), rest: value % 1_000 };
}

/** Returns the version number in a vendor's text; `null` if it is not valid. */
export function versionNumberOf(text: string): number | null {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null;
}
