// Caches lookups for a view beyond what it contains. Any change of the registry creates a new view, so entries stay valid.

import type { CatalogEntry } from "../../domain/catalog/catalog";
import type { View } from "../../domain/catalog/view";
import { readDigests, yankedAmong } from "../../storage/d1/versions";
import type { Context } from "../context";
import { readVersionFacts } from "./contents";

export interface Lookups {
  /** Skills by name and ranges; `null`: not found. */
  named: Map<string, CatalogEntry | null>;
  /** Scopes by skill id, for skills hidden by another one of the same name. */
  hidden: Map<string, string | null>;
  /** Versions by id. */
  yanked: Map<string, boolean>;
  /** Digests of packages by version id. */
  digests: Map<string, string>;
}

const lookups = new WeakMap<View, Lookups>();
/** When exceeded, the cache starts empty again. */
const MOST_LOOKUPS = 5_000;

/** Returns the lookup cache of a view. */
export function lookupsOf(view: View): Lookups {
  const before = lookups.get(view);
  if (before !== undefined && before.named.size < MOST_LOOKUPS) return before;
  const made = { named: new Map(), hidden: new Map(), yanked: new Map(), digests: new Map() };
  lookups.set(view, made);
  return made;
}

/** Returns the yanked ones among these versions. Versions that a name refers to now are not yanked and need no read. */
export async function yankedIn(context: Context, view: View, versions: readonly string[]): Promise<Set<string>> {
  const { named, yanked } = lookupsOf(view);
  const meant = [...view.catalog.entries, ...named.values()];
  const chosen = new Set(meant.map((entry) => entry?.version_id));
  const others = versions.filter((id) => !chosen.has(id));
  const asked = others.filter((id) => !yanked.has(id));
  const found = asked.length === 0 ? new Set<string>() : await yankedAmong(context.db, asked);
  for (const id of asked) yanked.set(id, found.has(id));
  return new Set(others.filter((id) => yanked.get(id) === true));
}

/** Returns SHA-256 of packages by version id. Deleted versions are absent. */
export async function digestsIn(context: Context, view: View, ids: readonly string[]): Promise<Map<string, string>> {
  const { digests } = lookupsOf(view);
  const asked = ids.filter((id) => !digests.has(id));
  for (const [id, digest] of await readVersionFacts(context, asked, readDigests)) digests.set(id, digest);
  return digests;
}

/** Caches which of these versions are yanked. */
export function cacheYanked(view: View, versions: readonly string[], found: ReadonlySet<string>): void {
  const { yanked } = lookupsOf(view);
  for (const id of versions) yanked.set(id, found.has(id));
}
