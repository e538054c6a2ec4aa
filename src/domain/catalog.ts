// The catalog: the skills one conversation may see, and how they are listed to a model.

import type { SkillRef } from "./event";
import { CATALOG_LIMITS } from "./limits";
import { newestFirst, parseReference, satisfiesRange } from "./reference";

/** Level 1 of a skill at the version this conversation sees. */
export interface CatalogEntry {
  name: string;
  skill_id: string;
  version_id: string;
  version: string | null;
  scope: string;
  /** What the list shows, cut to `PACKAGE_LIMITS.listedDescriptionChars`. */
  description: string;
  /** Tokens of the list's line, and of the instructions. */
  line_tokens: number;
  tokens: number;
  /** Of the instructions. */
  bytes: number;
  /** Whether it brings tools or servers, so that it is worth loading even without instructions. */
  has_capabilities: boolean;
  /** Dependencies as written: `name` or `name@range`. */
  needs: string[];
}

export interface Catalog {
  /** In order of name. All of the catalog, or the first `CATALOG_LIMITS.listedSkills` of a larger one plus preloaded ones. */
  entries: CatalogEntry[];
  /** Skills in the whole catalog. */
  total: number;
  /** Tokens of all instructions of the whole catalog: what static injection would cost a turn. */
  static_tokens: number;
}

export const EMPTY_CATALOG: Catalog = { entries: [], total: 0, static_tokens: 0 };

/** The skills that the list shows: preloaded first, then by name, within the limits; and how many it leaves out. */
export function listed(
  catalog: Catalog,
  preloaded: readonly string[],
): { shown: CatalogEntry[]; more: number; tokens: number } {
  const byName = new Map(catalog.entries.map((entry) => [entry.name, entry]));
  const first = preloaded.flatMap((name) => byName.get(name) ?? []);
  const ordered = new Set([...first, ...catalog.entries]);
  const shown: CatalogEntry[] = [];
  let tokens = 0;
  for (const entry of ordered) {
    if (shown.length >= CATALOG_LIMITS.listedSkills || tokens + entry.line_tokens > CATALOG_LIMITS.listedTokens) break;
    shown.push(entry);
    tokens += entry.line_tokens;
  }
  return { shown, more: catalog.total - shown.length, tokens };
}

/** The reference that events keep of a catalog entry. */
export function refOf(entry: CatalogEntry): SkillRef {
  const { name, skill_id, version_id, version, tokens, bytes } = entry;
  const needed = entry.needs.flatMap((text) => parseReference(text)?.name ?? []);
  return { name, skill_id, version_id, version, tokens, bytes, dependencies: [...new Set(needed)] };
}

/** The current version if it satisfies every range, else the newest stored one that does, else `null`. */
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
