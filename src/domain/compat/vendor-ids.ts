// Ids in vendors' APIs: ours under another prefix, both ways without a table. An id with our own prefix is none there.

const SKILL = /^skill_(\w{1,40})$/;
const VERSION = /^(?:skver|skillver)_(\w{1,40})$/;

export function vendorSkillId(id: string): string {
  return id.replace(/^skl_/, "skill_");
}

/** Our id of a vendor's; `null` for what is none. */
export function skillIdOf(text: string): string | null {
  const rest = SKILL.exec(text)?.[1];
  return rest === undefined ? null : `skl_${rest}`;
}

/** @param beta in the shape of the API's beta */
export function vendorVersionId(id: string, beta = false): string {
  return id.replace(/^ver_/, beta ? "skillver_" : "skver_");
}

/** Our id of a version; `null` for what is none. */
export function versionIdOf(text: string): string | null {
  const rest = VERSION.exec(text)?.[1];
  return rest === undefined ? null : `ver_${rest}`;
}

/**
 * How the beta names a version: when it was made, in microseconds. Ours know milliseconds; the number of the version says the rest, so that
 * no two of a skill are called the same.
 */
export function microsecondsOf({ createdAt, number }: { createdAt: number; number: number }): string {
  return String(createdAt * 1_000 + (number % 1_000));
}

/** What such a name means; `null` for what is none. */
export function createdAtOf(text: string): { createdAt: number; rest: number } | null {
  if (!/^\d{13,16}$/.test(text)) return null;
  const value = Number(text);
  return { createdAt: Math.floor(value / 1_000), rest: value % 1_000 };
}

/** A number of a version as vendors write it; `null` for what is none. */
export function versionNumberOf(text: string): number | null {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null;
}
