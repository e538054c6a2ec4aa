// What one conversation may see: own over group over public, narrowed by the ghost, the allow-list, the kill switch and the
// shell. Listing, loading, reading and searching all come through here.

import { visibleScopes } from "../../domain/access/access";
import { joined } from "../../domain/access/newest";
import { dayOf } from "../../domain/access/quota";
import { type CatalogEntry, type CatalogRead, EMPTY_CATALOG, nearestFirst } from "../../domain/catalog/catalog";
import { isPinned } from "../../domain/catalog/pin";
import { byName, choose, firstOfEach } from "../../domain/catalog/precedence";
import { fitting } from "../../domain/catalog/size";
import type { Selection, View } from "../../domain/catalog/view";
import { type ConversationSettings, DEFAULT_SHELL } from "../../domain/conversation/settings";
import { CATALOG_LIMITS } from "../../domain/limits";
import { satisfiesRange } from "../../domain/reference";
import { listedDescription } from "../../domain/tokens";
import { type CatalogRow, readCatalogStart, type WantedSkill, wantedSkills } from "../../storage/d1/catalog";
import { readGatewayServers } from "../../storage/d1/mcp-servers";
import { readSkillOrder } from "../../storage/d1/skill-use";
import type { Context } from "../context";
import { addedIn, readSelection, scopesOf, waysTo } from "./selection";

/** What a view depends on; while this does not change, neither does the view. Another day's order alone changes no prompt. */
export function viewKey(context: Context, settings: ConversationSettings): string {
  const { principal, counters } = context.caller;
  const scopes = visibleScopes(principal);
  const { SKILLS_ENABLED, SKILLS_ALLOWED, SKILL_LIST_TOKENS } = context.settings;
  const seen = scopes.map((scope) => [scope, counters[scope] ?? 0]);
  // The number rises when a view of an earlier gateway lacks something.
  const { ghost, spec, additional_skills, shell } = settings;
  const set = [SKILLS_ENABLED, SKILLS_ALLOWED, SKILL_LIST_TOKENS];
  return JSON.stringify([8, seen, ghost, spec, additional_skills, shell, ...set]);
}

/** Reads the view from D1. A ghost that is gone leaves an empty catalog and a warning. */
export async function readView(context: Context, settings: ConversationSettings): Promise<View> {
  const key = viewKey(context, settings);
  const newest = joined(null, context.caller, context.now());
  const [{ spec, ghost, selection, warnings }, gateway, order] = await Promise.all([
    readSelection(context, settings),
    context.settings.SKILLS_ENABLED ? readGatewayServers(context.db) : {},
    context.settings.SKILLS_ENABLED ? readSkillOrder(context.db, dayOf(context.now())) : [],
  ]);
  const shell = settings.shell ?? DEFAULT_SHELL;
  const preload = spec?.preload_skills ?? [];
  const first = [...preload, ...selection.added.map(({ name }) => name)];
  const whole = context.settings.SKILLS_ENABLED
    ? await readCatalog(context, selection, shell, first, order)
    : EMPTY_CATALOG;
  const fits = fitting(whole.entries, visibleScopes(context.caller.principal), first);
  const catalog = { ...whole, entries: fits.entries, list_tokens: context.settings.SKILL_LIST_TOKENS };
  const known = new Set(catalog.entries.map((entry) => entry.name));
  const complete = catalog.entries.length >= catalog.total;
  const absent = complete ? selection.skills.filter((skill) => !known.has(skill.name)) : [];
  const [added, missed] = addedIn(catalog.entries, selection);
  return {
    key,
    newest,
    catalog,
    selection,
    shell,
    system_prompt: spec?.systemPrompt ?? "",
    preload,
    added: added.map(({ name }) => name),
    ghost,
    servers: { gateway, ghost: context.settings.SKILLS_ENABLED ? (spec?.mcpServers ?? {}) : {} },
    retention: spec?.retentionTurns ?? null,
    warnings: [
      ...warnings,
      ...fits.warnings,
      ...absent.map(({ name, range }) => ({
        code: "SKILL_UNAVAILABLE",
        message: `Skill '${name}'${range === "*" ? "" : ` (${range})`} is not available to this conversation.`,
        path: name,
      })),
      ...missed.map(({ name }) => ({
        code: "SELECTED_UNAVAILABLE",
        message: `Skill '${name}' is not available.`,
        path: name,
      })),
    ],
  };
}

/** A skill of the view at a version that satisfies all ranges, from the view itself if it can, else from D1. */
export async function findInView(
  context: Context,
  view: View,
  name: string,
  ranges: readonly string[] = [],
): Promise<CatalogEntry | null> {
  const known = view.catalog.entries.find((entry) => entry.name === name);
  if (known !== undefined && ranges.every((range) => satisfiesRange(known.version, range))) return known;
  const complete = view.catalog.entries.length >= view.catalog.total;
  if (known === undefined && complete) return null;
  const [found] = await readNamed(context, view.selection, view.shell, [name], ranges);
  return found ?? null;
}

/** A skill of the view that a model may ask for: what only users choose is for it only while it is active. */
export async function findForModel(
  context: Context,
  view: View,
  name: string,
  isActive: boolean,
): Promise<CatalogEntry | null> {
  const entry = await findInView(context, view, name);
  return entry?.user_only === true && !isActive ? null : entry;
}

/** Those of the named skills that the view has, in at most one round trip. */
export async function findAllInView(context: Context, view: View, names: readonly string[]): Promise<CatalogEntry[]> {
  const known = new Map(view.catalog.entries.map((entry) => [entry.name, entry]));
  const near = names.flatMap((name) => known.get(name) ?? []);
  const far = view.catalog.entries.length >= view.catalog.total ? [] : names.filter((name) => !known.has(name));
  return far.length === 0 ? near : [...near, ...(await readNamed(context, view.selection, view.shell, far))];
}

/**
 * Those of these skills that are visible here, by id, even where another one of the same name now comes first: in at most two round
 * trips, however many they are.
 */
export async function visibleAmong(
  context: Context,
  view: View,
  asked: readonly { name: string; skill_id: string }[],
): Promise<Set<string>> {
  const first = await findAllInView(context, view, [...new Set(asked.map(({ name }) => name))]);
  const named = new Map(first.map((entry) => [entry.name, entry.skill_id]));
  const visible = new Set(asked.flatMap(({ name, skill_id }) => (named.get(name) === skill_id ? skill_id : [])));
  const shadowed = new Map(
    asked.flatMap(({ name, skill_id }) =>
      named.has(name) && !visible.has(skill_id) ? [[skill_id, { name, skill_id, any_version: true }]] : [],
    ),
  );
  if (shadowed.size === 0) return visible;
  const rows = await wantedSkills(context.db, scopesOf(context, view.selection), view.shell, [...shadowed.values()]);
  for (const { skill_id } of rows) if (shadowed.has(skill_id)) visible.add(skill_id);
  return visible;
}

/** The scope of a skill that is visible here, even where another one of the same name comes first; `null` for any other. */
export async function scopeInView(
  context: Context,
  view: View,
  skill: { name: string; skill_id: string },
): Promise<string | null> {
  const found = await findInView(context, view, skill.name);
  if (found === null) return null;
  if (found.skill_id === skill.skill_id) return found.scope;
  const scopes = scopesOf(context, view.selection);
  const rows = await wantedSkills(context.db, scopes, view.shell, [{ ...skill, any_version: true }]);
  return rows.find((row) => row.skill_id === skill.skill_id)?.scope ?? null;
}

/** @param order the ids of public skills, those first that are used most */
async function readCatalog(
  context: Context,
  selection: Selection,
  shell: string,
  preload: readonly string[],
  order: readonly string[],
): Promise<CatalogRead> {
  const places = new Map(order.map((id, place) => [id, place]));
  const ranked = (entries: readonly CatalogEntry[]) =>
    entries.map((entry) => ({ ...entry, rank: places.get(entry.skill_id) ?? null }));
  const allowed = context.settings.SKILLS_ALLOWED;
  if (!selection.all || allowed.length > 0) {
    const names = selection.all
      ? allowed.map((reference) => reference.name)
      : [...new Set([...selection.skills, ...selection.added].map((skill) => skill.name))];
    const entries = ranked(await readNamed(context, selection, shell, names));
    const tokens = entries.reduce((sum, entry) => sum + entry.tokens, 0);
    const nearest = nearestFirst(entries);
    const kept = nearest.slice(0, CATALOG_LIMITS.listedSkills);
    const preloaded = nearest.slice(CATALOG_LIMITS.listedSkills).filter((entry) => preload.includes(entry.name));
    return { entries: byName([...kept, ...preloaded]), total: entries.length, static_tokens: tokens };
  }
  const scopes = scopesOf(context, selection);
  const limit = CATALOG_LIMITS.listedSkills + 1;
  const named = new Set([...selection.skills.map((skill) => skill.name), ...preload]);
  const [start, apart] = await Promise.all([
    readCatalogStart(context.db, scopes, shell, limit, order),
    named.size === 0 ? [] : readNamed(context, selection, shell, [...named]),
  ]);
  const distinct = ranked(firstOfEach(start.rows, scopes).map(entryOf));
  const nearest = nearestFirst(distinct).slice(0, CATALOG_LIMITS.listedSkills);
  const first = nearest.filter((entry) => !named.has(entry.name));
  const merged = byName([...first, ...ranked(apart)]);
  if (distinct.length < limit) {
    return {
      entries: merged,
      total: merged.length,
      static_tokens: merged.reduce((sum, entry) => sum + entry.tokens, 0),
    };
  }
  return { entries: merged, total: start.total, static_tokens: start.tokens };
}

/** The named skills that the selection and the allow-list let through, in order of name. */
async function readNamed(
  context: Context,
  selection: Selection,
  shell: string,
  names: readonly string[],
  ranges: readonly string[] = [],
): Promise<CatalogEntry[]> {
  const allowed = context.settings.SKILLS_ALLOWED;
  const asked = names.flatMap((name) => {
    const permitted = allowed.find((reference) => reference.name === name);
    if (permitted === undefined && allowed.length > 0) return [];
    return waysTo(context, selection, name).map(({ range, ...way }) => ({
      ...way,
      ranges: [...ranges, range, permitted?.range ?? "*"].filter((each) => each !== "*"),
    }));
  });
  if (asked.length === 0) return [];
  const wanted: WantedSkill[] = asked.map(({ name, skill_id, ranges: all }) => ({
    name,
    skill_id,
    any_version: all.length > 0,
  }));
  const scopes = [...new Set(asked.flatMap((way) => way.scopes))];
  const rows = Map.groupBy(await wantedSkills(context.db, scopes, shell, wanted), (row) => row.name);
  const found = new Map<string, CatalogRow>();
  for (const { name, skill_id, pin, scopes: own, ranges: all } of asked) {
    const named = (rows.get(name) ?? []).filter((row) => isPinned(pin, row));
    // The skill that a saved ghost resolved the name to comes before all others of the name, while it is there.
    const resolved = named.filter((row) => row.skill_id === skill_id && own.includes(row.scope));
    const chosen = found.has(name) ? null : choose(resolved.length > 0 ? resolved : named, own, all);
    if (chosen !== null) found.set(name, chosen);
  }
  return byName([...found.values()].map(entryOf));
}

/** What a view keeps of a row. */
export function entryOf({ current_id: _, ...entry }: CatalogRow): CatalogEntry {
  // More than the list ever shows, and not so much that looking at it costs.
  return { ...entry, description: listedDescription(entry.description.slice(0, 4_096)), rank: null };
}
