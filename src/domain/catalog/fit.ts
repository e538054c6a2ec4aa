// Limits the part of a catalog that a conversation stores. Skills left out are still found by name and search.

import type { Issue } from "../errors";
import { utf8Bytes } from "../json";
import { ROW_LIMITS } from "../limits";
import type { CatalogEntry } from "./catalog";

/**
 * Returns the entries that fit, in their order, and a warning if some do not. Entries of later scopes are removed first, preloaded ones
 * last.
 * @param scopes first wins, as in `visibleScopes`
 */
export function fitting(
  entries: readonly CatalogEntry[],
  scopes: readonly string[],
  preload: readonly string[],
): { entries: CatalogEntry[]; warnings: Issue[] } {
  const sizes = entries.map((entry) => utf8Bytes(JSON.stringify(entry)));
  let left = ROW_LIMITS.catalogBytes;
  if (sizes.reduce((sum, size) => sum + size, 0) <= left) return { entries: [...entries], warnings: [] };
  const rank = ({ name, scope }: CatalogEntry) => (preload.includes(name) ? -1 : scopes.indexOf(scope));
  const order = entries.map((entry, index) => ({ entry, size: sizes[index] ?? 0, rank: rank(entry) }));
  const listedEntries = new Set<CatalogEntry>();
  for (const { entry, size } of order.sort((a, b) => a.rank - b.rank)) {
    if (size > left) continue;
    left -= size;
    listedEntries.add(entry);
  }
  const out = entries.filter((entry) => !listedEntries.has(entry));
  const message = `${out.length} skills are not listed because the catalog is too large (limit 4 MiB): ${named(out)}. Models can still load them by name.`;
  return { entries: entries.filter((entry) => listedEntries.has(entry)), warnings: [{ code: "CATALOG_CUT", message }] };
}

const NAMED = 10;

function named(entries: readonly CatalogEntry[]): string {
  const names = entries.slice(0, NAMED).map(({ name }) => name);
  return entries.length > NAMED ? `${names.join(", ")} and ${entries.length - NAMED} more` : names.join(", ");
}
