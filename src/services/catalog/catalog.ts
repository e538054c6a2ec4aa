// Determines what one conversation can see: own over group over public, restricted by the ghost, the allow-list, the kill switch and the
// shell. Listing, loading, reading and searching all use this module.

import type { CatalogEntry } from "../../domain/catalog/catalog";
import { readNeeds } from "../../domain/catalog/dependency-list";
import { isPinned } from "../../domain/catalog/pin";
import { byName, choose } from "../../domain/catalog/precedence";
import { candidatesInPlace, withCandidates } from "../../domain/catalog/rollout";
import type { Selection, View } from "../../domain/catalog/view";
import { DEPENDENCY_LIMITS } from "../../domain/limits";
import { satisfiesRange } from "../../domain/reference";
import { listedDescription } from "../../domain/tokens";
import { type CatalogRow, type WantedSkill, wantedContents, wantedSkills } from "../../storage/d1/catalog";
import { searchSkills } from "../../storage/d1/search";
import { type FoundRow, searchRows } from "../../storage/d1/views";
import type { Context } from "../context";
import { cacheContents } from "./contents";
import { type Lookups, lookupsOf } from "./lookups";
import { meaningsOfName, scopesOf } from "./selection";

/** A skill's name and id. */
interface Which {
  name: string;
  skill_id: string;
}

/** Returns a skill of the view at a version that satisfies all ranges, from the view itself or from D1. */
export async function findInView(
  context: Context,
  view: View,
  name: string,
  ranges: readonly string[] = [],
): Promise<CatalogEntry | null> {
  const known = view.catalog.entries.find((entry) => entry.name === name);
  if (known !== undefined && ranges.every((range) => satisfiesRange(known.version, range))) return known;
  if (known === undefined && isWhole(view)) return null;
  const { named } = lookupsOf(view);
  const key = keyOf(name, ranges);
  const before = named.get(key);
  if (before !== undefined) return before;
  const plain = named.get(keyOf(name)) ?? null;
  if (plain !== null && ranges.every((range) => satisfiesRange(plain.version, range))) return plain;
  const { candidates } = view;
  const how = { ranges, contents: true, candidates };
  const [found = null] = await readNamed(context, view.selection, view.shell, [name], how);
  named.set(key, found);
  return found;
}

/**
 * Reads skills by name with their dependencies, level by level, if the view holds only a part of the catalog: one round trip per level.
 * Later lookups use the result.
 */
export async function prefetchDependencies(context: Context, view: View, names: readonly string[]): Promise<void> {
  if (isWhole(view)) return;
  const asked = new Set(names);
  let next = [...asked];
  while (next.length > 0) {
    const level = await findAllInView(context, view, next, true);
    const needs = level.flatMap((entry) => readNeeds(entry.name, entry.needs));
    const meant = needs.flatMap(({ name, kind }) => (kind === "marked" || kind === "bare" ? name : []));
    const room = names.length + DEPENDENCY_LIMITS.skills - asked.size;
    next = [...new Set(meant)].filter((name) => !asked.has(name)).slice(0, Math.max(room, 0));
    for (const name of next) asked.add(name);
  }
}

/** Whether the view holds the whole catalog. */
function isWhole({ catalog }: View): boolean {
  return catalog.entries.length >= catalog.total;
}

function keyOf(name: string, ranges: readonly string[] = []): string {
  return JSON.stringify([name, ...ranges]);
}

/** Returns a skill of the view that a model can request. Skills that only users can select are returned only while active. */
export async function findForModel(
  context: Context,
  view: View,
  name: string,
  isActive: boolean,
): Promise<CatalogEntry | null> {
  const entry = await findInView(context, view, name);
  return entry?.user_only === true && !isActive ? null : entry;
}

/**
 * Returns the named skills that the view has, in at most one round trip.
 *
 * @param contents also reads their contents
 */
export async function findAllInView(
  context: Context,
  view: View,
  names: readonly string[],
  contents = false,
): Promise<CatalogEntry[]> {
  const known = new Map(view.catalog.entries.map((entry) => [entry.name, entry]));
  if (isWhole(view)) return names.flatMap((name) => known.get(name) ?? []);
  const { named } = lookupsOf(view);
  const far = [...new Set(names)].filter((name) => !known.has(name) && !named.has(keyOf(name)));
  if (far.length > 0) {
    const { candidates } = view;
    const read = await readNamed(context, view.selection, view.shell, far, { contents, candidates });
    for (const name of far) named.set(keyOf(name), read.find((entry) => entry.name === name) ?? null);
  }
  return names.flatMap((name) => known.get(name) ?? named.get(keyOf(name)) ?? []);
}

/**
 * Returns the ids of these skills that are visible, even if another skill of the same name now takes precedence. At most two round trips
 * for any number.
 */
export async function visibleAmong(context: Context, view: View, asked: readonly Which[]): Promise<Set<string>> {
  const first = await findAllInView(context, view, [...new Set(asked.map(({ name }) => name))]);
  const named = new Map(first.map((entry) => [entry.name, entry.skill_id]));
  const visible = new Set(asked.flatMap(({ name, skill_id }) => (named.get(name) === skill_id ? skill_id : [])));
  const shadowed = asked.filter(({ name, skill_id }) => named.has(name) && !visible.has(skill_id));
  const scopes = await hiddenScopes(context, view, shadowed);
  for (const { skill_id } of shadowed) if (scopes.get(skill_id) != null) visible.add(skill_id);
  return visible;
}

/** Returns the scope of a visible skill, even if another skill of the same name takes precedence; otherwise `null`. */
export async function scopeInView(context: Context, view: View, skill: Which): Promise<string | null> {
  const found = await findInView(context, view, skill.name);
  if (found === null) return null;
  if (found.skill_id === skill.skill_id) return found.scope;
  return (await hiddenScopes(context, view, [skill])).get(skill.skill_id) ?? null;
}

/** Returns the scopes of skills hidden by another skill of the same name, by id; `null` if not visible at all. */
async function hiddenScopes(context: Context, view: View, skills: readonly Which[]): Promise<Lookups["hidden"]> {
  const { hidden } = lookupsOf(view);
  const asked = skills.filter(({ skill_id }) => !hidden.has(skill_id));
  if (asked.length === 0) return hidden;
  const wanted = asked.map((skill) => ({ name: skill.name, skill_id: skill.skill_id, any_version: true }));
  const rows = await wantedSkills(context.db, scopesOf(context, view.selection), view.shell, wanted);
  for (const { skill_id } of asked) hidden.set(skill_id, rows.find((row) => row.skill_id === skill_id)?.scope ?? null);
  return hidden;
}

/**
 * Searches the view for a model, best first, and returns at least `shown` results if the first `most` hits contain them. One round trip, or
 * two if the view hides most of the first hits.
 */
export async function searchInView(
  context: Context,
  view: View,
  query: string,
  { shown, most }: { shown: number; most: number },
): Promise<CatalogEntry[]> {
  const scopes = scopesOf(context, view.selection);
  const open = (entries: readonly CatalogEntry[]) => entries.filter((entry) => !entry.user_only);
  const namesOf = (hits: readonly { name: string }[]) => hits.map(({ name }) => name);
  if (isWhole(view))
    return open(await findAllInView(context, view, namesOf(await searchSkills(context.db, scopes, query, most))));
  const few = Math.min(most, 2 * shown);
  for (const limit of [few, most]) {
    const hits = await searchRows(context.db, scopes, view.shell, query, limit);
    keepHits(context, view, hits);
    const found = open(await findAllInView(context, view, namesOf(hits)));
    if (found.length >= shown || hits.length < limit || limit === most) return found;
  }
  return [];
}

/** Stores hits that their names refer to. Names that a ghost, a user or the operator mentions are looked up separately. */
function keepHits(context: Context, view: View, hits: readonly FoundRow[]): void {
  const { all, skills, added } = view.selection;
  if (!all || context.settings.SKILLS_ALLOWED.length > 0) return;
  const special = new Set([...skills, ...added, ...view.catalog.entries].map(({ name }) => name));
  const { named } = lookupsOf(view);
  for (const row of candidatesInPlace<CatalogRow & { fits?: boolean }>(hits, view.candidates)) {
    const { fits = true, ...found } = row;
    if (fits && !special.has(row.name)) named.set(keyOf(row.name), entryOf(found));
  }
}

/** Stores what these names refer to. */
export function storeNames(context: Context, view: View, names: readonly string[], rows: readonly CatalogRow[]): void {
  const { named } = lookupsOf(view);
  const found = chooseRows(meaningsOfNames(context, view.selection, names), rows, view.candidates);
  for (const name of names) named.set(keyOf(name), found.find((entry) => entry.name === name) ?? null);
}

/** Returns the named skills that pass the selection and the allow-list, by name; also caches their contents if requested. */
export async function readNamed(
  context: Context,
  selection: Selection,
  shell: string,
  names: readonly string[],
  {
    ranges = [],
    contents = false,
    candidates = [],
  }: { ranges?: readonly string[]; contents?: boolean; candidates?: readonly ConversationCandidate[] } = {},
): Promise<CatalogEntry[]> {
  const asked = meaningsOfNames(context, selection, names, ranges);
  if (asked.length === 0) return [];
  const wanted: WantedSkill[] = asked.map(({ name, skill_id, ranges: all }) => ({
    name,
    skill_id,
    any_version: all.length > 0,
  }));
  const scopes = [...new Set(asked.flatMap((way) => way.scopes))];
  if (!contents) return chooseRows(asked, await wantedSkills(context.db, scopes, shell, wanted), candidates);
  const read = await wantedContents(context.db, scopes, shell, wanted);
  cacheContents(read.contents);
  return chooseRows(asked, read.rows, candidates);
}

/** Returns the possible meanings of each name, with the required version ranges. */
export function meaningsOfNames(
  context: Context,
  selection: Selection,
  names: readonly string[],
  ranges: readonly string[] = [],
) {
  const allowed = context.settings.SKILLS_ALLOWED;
  return names.flatMap((name) => {
    const permitted = allowed.find((reference) => reference.name === name);
    if (permitted === undefined && allowed.length > 0) return [];
    return meaningsOfName(context, selection, name).map(({ range, ...way }) => ({
      ...way,
      ranges: [...ranges, range, permitted?.range ?? "*"].filter((each) => each !== "*"),
    }));
  });
}

/** A candidate of a rollout that a conversation uses. */
export type ConversationCandidate = View["candidates"][number];

/** Resolves names among these rows, by name, with candidates in place of current versions. */
export function chooseRows(
  asked: ReturnType<typeof meaningsOfNames>,
  read: readonly CatalogRow[],
  candidates: readonly ConversationCandidate[],
): CatalogEntry[] {
  const rows = Map.groupBy(withCandidates<CatalogRow>(read, candidates), (row) => row.name);
  const found = new Map<string, CatalogRow>();
  for (const { name, skill_id, pin, scopes: own, ranges: all } of asked) {
    const named = (rows.get(name) ?? []).filter((row) => isPinned(pin, row));
    // The skill that a saved ghost resolved the name to takes precedence while it exists.
    const resolved = named.filter((row) => row.skill_id === skill_id && own.includes(row.scope));
    const chosen = found.has(name) ? null : choose(resolved.length > 0 ? resolved : named, own, all);
    if (chosen !== null) found.set(name, chosen);
  }
  return byName([...found.values()].map(entryOf));
}

/** Returns the part of a row that a view stores. */
export function entryOf({ current_id: _, ...entry }: CatalogRow): CatalogEntry {
  // Longer than the list ever shows, and short enough to be processed cheaply.
  return { ...entry, description: listedDescription(entry.description.slice(0, 4_096)), rank: null };
}
