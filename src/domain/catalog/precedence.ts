// Determines which skill a name refers to: own over group over public, at a version within its ranges; and the order of lists by name.

import { newestFirst, satisfiesRange } from "../reference";

/**
 * Compares texts by code point. SQLite sorts by UTF-8, which is the same order, so pages from both can continue each other. JavaScript
 * sorts by UTF-16 units, which differs beyond U+FFFF.
 */
export function byCodePoint(a: string, b: string): number {
  for (let at = 0; at < a.length && at < b.length; at++) {
    if (a.charCodeAt(at) !== b.charCodeAt(at)) return (a.codePointAt(at) ?? 0) - (b.codePointAt(at) ?? 0);
  }
  return a.length - b.length;
}

/** Returns the rows by name. */
export function byName<R extends { name: string }>(rows: readonly R[]): R[] {
  return rows.toSorted((a, b) => byCodePoint(a.name, b.name));
}

/**
 * Returns one row per name, by name: the row of the first scope that has the name.
 *
 * @param scopes first wins, as in `visibleScopes`
 */
export function firstOfEach<R extends { name: string; scope: string }>(
  rows: readonly R[],
  scopes: readonly string[],
): R[] {
  const rank = new Map(scopes.map((scope, index) => [scope, index]));
  const rankOf = ({ scope }: R) => rank.get(scope) ?? scopes.length;
  const best = new Map<string, R>();
  for (const row of rows) {
    const known = best.get(row.name);
    if (known === undefined || rankOf(row) < rankOf(known)) best.set(row.name, row);
  }
  return byName([...best.values()]);
}

/** One version of a skill. `current_id` is the skill's current version. */
export interface VersionRow {
  scope: string;
  current_id: string;
  version_id: string;
  version: string | null;
}

/**
 * Returns the row that a name refers to: the first scope with a version that satisfies all ranges wins.
 *
 * @param rows rows with one name
 * @param scopes first wins, as in `visibleScopes`
 */
export function choose<R extends VersionRow>(
  rows: readonly R[],
  scopes: readonly string[],
  ranges: readonly string[],
): R | null {
  for (const scope of scopes) {
    const versions = rows.filter((row) => row.scope === scope);
    const chosen = chooseVersion(versions[0]?.current_id ?? "", versions, ranges);
    if (chosen !== null) return chosen;
  }
  return null;
}

/** Returns the current version if it satisfies every range, otherwise the newest one that does, otherwise `null`. */
export function chooseVersion<V extends { version_id: string; version: string | null }>(
  currentId: string,
  versions: readonly V[],
  ranges: readonly string[],
): V | null {
  const good = versions.filter((version) => ranges.every((range) => satisfiesRange(version.version, range)));
  const current = good.find((version) => version.version_id === currentId);
  if (current !== undefined) return current;
  return (
    good.filter((v) => v.version !== null).sort((a, b) => newestFirst(a.version ?? "", b.version ?? ""))[0] ?? null
  );
}
