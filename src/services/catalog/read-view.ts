// Reads a conversation's view of the registry in one round trip.

import { userScope, visibleScopes } from "../../domain/access/access";
import { joined } from "../../domain/access/newest-identity";
import { dayOf } from "../../domain/access/quota";
import { type CatalogEntry, type CatalogRead, EMPTY_CATALOG, nearestFirst } from "../../domain/catalog/catalog";
import { fitting } from "../../domain/catalog/fit";
import { inlineSpec } from "../../domain/catalog/ghost";
import { pickedOf } from "../../domain/catalog/pin";
import { byName, firstOfEach } from "../../domain/catalog/precedence";
import { candidatesInPlace, rolloutPosition } from "../../domain/catalog/rollout";
import type { Selection, View } from "../../domain/catalog/view";
import { type ConversationSettings, DEFAULT_SHELL } from "../../domain/conversation/settings";
import { CATALOG_LIMITS } from "../../domain/limits";
import { inOrderOf, isForGhost } from "../../domain/servers/owner";
import type { CatalogRow } from "../../storage/d1/catalog";
import type { CandidateRow } from "../../storage/d1/registry/rollouts";
import { readGhost, readViewRows, type ViewRows } from "../../storage/d1/views";
import type { Context } from "../context";
import { type ConversationCandidate, chooseRows, entryOf, meaningsOfNames, readNamed, storeNames } from "./catalog";
import { cacheContents } from "./contents";
import { selectedDrafts } from "./drafts";
import { cacheYanked } from "./lookups";
import { addedSkills, scopesOf, selectionFor } from "./selection";

/** Further reads in the same round trip, so that later steps need none. */
export interface ReadWithView {
  /** Versions to check for yanks. */
  versions: readonly string[];
  /** Names to look up if the view holds only a part of the catalog. */
  names: readonly string[];
  /** Names whose contents are needed, in addition to preloaded ones; `null`: none. */
  contents: readonly string[] | null;
  /** Versions whose contents are cached. */
  known: readonly string[];
  /** The user and id of the conversation, which decide which candidates of rollouts it uses; `null`: none. */
  conversation: string | null;
}

export const NOTHING_WITH_VIEW: ReadWithView = {
  versions: [],
  names: [],
  contents: null,
  known: [],
  conversation: null,
};

/** Returns the key of a view: while it is unchanged, so is the view. A new day's order alone changes no prompt. */
export function viewKey(context: Context, settings: ConversationSettings): string {
  const { principal, counters } = context.caller;
  const scopes = visibleScopes(principal);
  const { SKILLS_ENABLED, SKILLS_ALLOWED, SKILL_LIST_TOKENS } = context.settings;
  const seen = scopes.map((scope) => [scope, counters[scope] ?? 0]);
  // Increase the number when views of earlier gateways lack something.
  const { ghost, spec, additional_skills, shell } = settings;
  const set = [SKILLS_ENABLED, SKILLS_ALLOWED, SKILL_LIST_TOKENS];
  return JSON.stringify([11, seen, ghost, spec, additional_skills, shell, ...set]);
}

/** Reads the view from D1. A deleted ghost results in an empty catalog and a warning. */
export async function readView(
  context: Context,
  settings: ConversationSettings,
  along: ReadWithView = NOTHING_WITH_VIEW,
): Promise<View> {
  const key = viewKey(context, settings);
  const { caller } = context;
  const newest = joined(null, caller, context.now());
  const isOn = context.settings.SKILLS_ENABLED;
  const rows = isOn ? await readRows(context, settings, along) : null;
  const candidates = rows === null ? [] : candidatesFor(along.conversation, rows.candidates);
  const found = rows === null ? await readOnlyGhost(context, settings) : rows.ghost;
  const { spec, ghost, selection, warnings } = selectionFor(caller.principal, settings, found);
  const shell = settings.shell ?? DEFAULT_SHELL;
  const preload = spec?.preload_skills ?? [];
  const first = [...preload, ...selection.added.map(({ name }) => name)];
  const registered =
    rows === null ? EMPTY_CATALOG : await catalogFrom(context, selection, shell, first, { ...rows, candidates });
  const whole = rows === null ? registered : withDrafts(registered, await selectedDrafts(context, selection, shell));
  const fits = fitting(whole.entries, visibleScopes(caller.principal), first);
  const catalog = { ...whole, entries: fits.entries, list_tokens: context.settings.SKILL_LIST_TOKENS };
  const known = new Set(catalog.entries.map((entry) => entry.name));
  const complete = catalog.entries.length >= catalog.total;
  const absent = complete ? selection.skills.filter((skill) => !known.has(skill.name)) : [];
  const [added, missed] = addedSkills(catalog.entries, selection);
  const view: View = {
    key,
    newest,
    catalog,
    candidates,
    selection,
    shell,
    system_prompt: spec?.systemPrompt ?? "",
    preload,
    added: added.map(({ name }) => name),
    ghost,
    ghost_id: found?.id ?? null,
    servers: { ...ownedServers(context, rows), ghost: isOn ? (spec?.mcpServers ?? {}) : {} },
    retention: spec?.retentionTurns ?? null,
    predict: spec?.predict ?? null,
    warnings: [
      ...warnings,
      ...fits.warnings,
      ...absent.map(({ name, range }) => ({
        code: "SKILL_UNAVAILABLE",
        message: `Skill '${name}'${range === "*" ? "" : ` (${range})`} is not available to this conversation. Check its name and your access to it.`,
        path: name,
      })),
      ...missed.map(({ name }) => ({
        code: "SELECTED_UNAVAILABLE",
        message: `Skill '${name}' is not available. Check its name and your access to it.`,
        path: name,
      })),
    ],
  };
  if (rows === null) return view;
  cacheYanked(view, along.versions, rows.yanked);
  storeNames(context, view, along.names, rows.named);
  return view;
}

/** Returns the candidates that a conversation uses. */
function candidatesFor(conversation: string | null, rows: readonly CandidateRow[]): ConversationCandidate[] {
  if (conversation === null) return [];
  return rows
    .filter(({ version_id, percent }) => rolloutPosition(conversation, version_id) < percent)
    .map(({ percent: _, ...row }) => ({ ...row, rank: null, candidate: true }));
}

function readOnlyGhost(context: Context, { ghost, spec }: ConversationSettings) {
  if (ghost === undefined || spec !== undefined) return null;
  return readGhost(context.db, visibleScopes(context.caller.principal), ghost);
}

/** Returns the servers of this conversation that do not come from its ghost. Servers restricted to other ghosts are excluded. */
function ownedServers(context: Context, rows: ViewRows | null): Omit<View["servers"], "ghost"> {
  const ghost = rows?.ghost?.id ?? null;
  const gateway = (rows?.servers.gateway ?? []).filter(({ entry }) => isForGhost(entry, ghost));
  const guarded = gateway.flatMap(({ name, approved }) => (approved === null ? [] : [[name, approved] as const]));
  return {
    gateway: Object.fromEntries(gateway.map(({ name, entry }) => [name, entry])),
    approved: Object.fromEntries(guarded),
    own: inOrderOf(visibleScopes(context.caller.principal), rows?.servers.own ?? []).filter(({ entry }) =>
      isForGhost(entry, ghost),
    ),
  };
}

/** Reads what the settings select. The statements add what the ghost selects. */
async function readRows(context: Context, settings: ConversationSettings, along: ReadWithView): Promise<ViewRows> {
  const { principal } = context.caller;
  const ghost = settings.spec === undefined ? (settings.ghost ?? null) : null;
  const allowed = context.settings.SKILLS_ALLOWED;
  const spec = settings.spec === undefined ? null : inlineSpec(settings.spec);
  const { selection } = selectionFor(principal, settings, null);
  const named = [...allowed, ...selection.skills, ...selection.added];
  const texts = along.contents === null ? null : [...along.contents, ...(spec?.preload_skills ?? [])];
  const added = pickedOf(settings.additional_skills ?? [], userScope(principal.userId)).map(({ name }) => name);
  const rows = await readViewRows(context.db, {
    userId: principal.userId,
    scopes: visibleScopes(principal),
    shell: settings.shell ?? DEFAULT_SHELL,
    ghost,
    all: (ghost !== null || selection.all) && allowed.length === 0,
    names: [...new Set([...named.map(({ name }) => name), ...(spec?.preload_skills ?? []), ...along.names])],
    older: named.filter(({ range }) => range !== "*").map(({ name }) => name),
    limit: CATALOG_LIMITS.listedSkills + 1,
    day: dayOf(context.now()),
    versions: along.versions,
    contents: texts === null ? null : { names: [...texts, ...added], known: along.known },
  });
  cacheContents(rows.contents);
  return rows;
}

/** Adds the selected drafts to the catalog. */
function withDrafts(catalog: CatalogRead, drafts: readonly CatalogEntry[]): CatalogRead {
  if (drafts.length === 0) return catalog;
  return {
    entries: byName([...catalog.entries, ...drafts]),
    total: catalog.total + drafts.length,
    static_tokens: drafts.reduce((sum, draft) => sum + draft.tokens, catalog.static_tokens),
  };
}

/** The rows with the candidates that the conversation uses. */
type RowsOfConversation = Omit<ViewRows, "candidates"> & { candidates: readonly ConversationCandidate[] };

async function catalogFrom(
  context: Context,
  selection: Selection,
  shell: string,
  preload: readonly string[],
  rows: RowsOfConversation,
): Promise<CatalogRead> {
  const places = new Map(rows.order.map((id, place) => [id, place]));
  const ranked = (entries: readonly CatalogEntry[]) =>
    entries.map((entry) => ({ ...entry, rank: places.get(entry.skill_id) ?? null }));
  const allowed = context.settings.SKILLS_ALLOWED;
  if (!selection.all || allowed.length > 0) {
    const names = selection.all
      ? allowed.map((reference) => reference.name)
      : [...new Set([...selection.skills, ...selection.added].map((skill) => skill.name))];
    const entries = ranked(await namedFrom(context, selection, shell, names, rows));
    const tokens = entries.reduce((sum, entry) => sum + entry.tokens, 0);
    const nearest = nearestFirst(entries);
    const nearestListed = nearest.slice(0, CATALOG_LIMITS.listedSkills);
    const preloaded = nearest.slice(CATALOG_LIMITS.listedSkills).filter((entry) => preload.includes(entry.name));
    return { entries: byName([...nearestListed, ...preloaded]), total: entries.length, static_tokens: tokens };
  }
  const scopes = scopesOf(context, selection);
  const named = new Set([...selection.skills.map((skill) => skill.name), ...preload]);
  const apart = await namedFrom(context, selection, shell, [...named], rows);
  const start = candidatesInPlace<CatalogRow>(rows.start, rows.candidates);
  const distinct = ranked(firstOfEach(start, scopes).map(entryOf));
  const nearest = nearestFirst(distinct).slice(0, CATALOG_LIMITS.listedSkills);
  const first = nearest.filter((entry) => !named.has(entry.name));
  const merged = byName([...first, ...ranked(apart)]);
  if (distinct.length <= CATALOG_LIMITS.listedSkills) {
    return {
      entries: merged,
      total: merged.length,
      static_tokens: merged.reduce((sum, entry) => sum + entry.tokens, 0),
    };
  }
  return { entries: merged, total: rows.total, static_tokens: rows.tokens };
}

/**
 * Resolves named skills from the rows. A ghost may spell a name in a way that SQL does not match (white space, another Unicode form); those
 * are read separately.
 */
async function namedFrom(
  context: Context,
  selection: Selection,
  shell: string,
  names: readonly string[],
  rows: RowsOfConversation,
): Promise<CatalogEntry[]> {
  const { skills = [], preload_skills = [], skill_refs = {}, preload_skill_refs = {} } = rows.ghost?.spec ?? {};
  const written = [...skills, ...preload_skills, ...Object.keys(skill_refs), ...Object.keys(preload_skill_refs)];
  const read = new Set(written.map((text) => text.split("@", 1)[0]));
  const odd = rows.ghost === null ? [] : names.filter((name) => !read.has(name) && isOdd(name, written));
  const plain = names.filter((name) => !odd.includes(name));
  const { candidates } = rows;
  const found = chooseRows(meaningsOfNames(context, selection, plain), rows.named, candidates);
  return odd.length === 0
    ? found
    : byName([...found, ...(await readNamed(context, selection, shell, odd, { candidates }))]);
}

/** Whether a ghost refers to a name with a different spelling. */
function isOdd(name: string, written: readonly string[]): boolean {
  return written.some((text) => text.split("@", 1)[0]?.normalize("NFC").trim() === name);
}
