// What is looked up for a view beyond what it holds. A change of the registry makes another view, so it stays true of this one.

import type { CatalogEntry } from "../../domain/catalog/catalog";
import type { View } from "../../domain/catalog/view";
import { readDigests, yankedAmong } from "../../storage/d1/versions";
import type { Context } from "../context";
import { readVersionFacts } from "./contents";

export interface Lookups {
  /** Skills by name and ranges; `null`: there is none. */
  named: Map<string, CatalogEntry | null>;
  /** Scopes of skills by id, for those that another one of their name hides. */
  hidden: Map<string, string | null>;
  /** Versions by id. */
  yanked: Map<string, boolean>;
  /** Digests of their packages. */
  digests: Map<string, string>;
}

const lookups = new WeakMap<View, Lookups>();
/** A view whose every skill is asked for by name begins again. */
const MOST_LOOKUPS = 5_000;

/** What was looked up for a view. */
export function lookupsOf(view: View): Lookups {
  const before = lookups.get(view);
  if (before !== undefined && before.named.size < MOST_LOOKUPS) return before;
  const made = { named: new Map(), hidden: new Map(), yanked: new Map(), digests: new Map() };
  lookups.set(view, made);
  return made;
}

/** Which of these versions are yanked. Those that a name means now are not, and need no look. */
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

/** SHA-256 of the packages of versions, by id. One that is gone is absent. */
export async function digestsIn(context: Context, view: View, ids: readonly string[]): Promise<Map<string, string>> {
  const { digests } = lookupsOf(view);
  const asked = ids.filter((id) => !digests.has(id));
  for (const [id, digest] of await readVersionFacts(context, asked, readDigests)) digests.set(id, digest);
  return digests;
}

/** Notes which of these versions are yanked. */
export function cacheYanked(view: View, versions: readonly string[], found: ReadonlySet<string>): void {
  const { yanked } = lookupsOf(view);
  for (const id of versions) yanked.set(id, found.has(id));
}
