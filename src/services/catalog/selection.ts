// Determines what selects a conversation's skills: its ghost or its own spec, and skills that the user added.

import { type Principal, skillScopes, userScope, visibleScopes } from "../../domain/access/access";
import type { CatalogEntry } from "../../domain/catalog/catalog";
import { type GhostSpec, inlineSpec, specWarnings } from "../../domain/catalog/ghost";
import { isPinned, type Picked, pickedOf, pinsOf } from "../../domain/catalog/pin";
import type { Selection } from "../../domain/catalog/view";
import type { ConversationSettings } from "../../domain/conversation/settings";
import type { Issue } from "../../domain/errors";
import { parseReference } from "../../domain/reference";
import type { FoundGhost } from "../../storage/d1/views";
import type { Context } from "../context";

/** Returns the scopes that a selection's skills come from, first wins. */
export function scopesOf({ caller: { principal } }: Context, { shared }: Selection): string[] {
  return skillScopes(principal, shared ?? userScope(principal.userId));
}

/**
 * Returns the selection of the settings. A deleted ghost selects nothing and adds a warning.
 *
 * @param ghost the stored ghost that the settings name
 */
export function selectionFor(
  { userId }: Principal,
  settings: ConversationSettings,
  ghost: FoundGhost | null,
): { spec: GhostSpec | null; ghost: string | null; selection: Selection; warnings: Issue[] } {
  const own = userScope(userId);
  const added = pickedOf(settings.additional_skills ?? [], own);
  if (settings.spec !== undefined) {
    const spec = inlineSpec(settings.spec);
    const selection = { ...selectionOf(spec, new Map(), own, null), added };
    return { spec, ghost: null, selection, warnings: specWarnings(spec) };
  }
  if (settings.ghost === undefined)
    return { spec: null, ghost: null, selection: { all: true, skills: [], shared: null, added }, warnings: [] };
  if (ghost === null) {
    const warning = {
      code: "GHOST_NOT_FOUND",
      message: `Agent (ghost) '${settings.ghost}' not found, so no skills are available. Check the name.`,
    };
    return { spec: null, ghost: null, selection: { all: false, skills: [], shared: null, added }, warnings: [warning] };
  }
  const ids = new Map(ghost.resolved.map((skill) => [skill.name, skill.skill_id]));
  const shared = ghost.scope === own ? null : ghost.scope;
  const selection = { ...selectionOf(ghost.spec, ids, own, shared), added };
  return { spec: ghost.spec, ghost: ghost.name, selection, warnings: [] };
}

/** @param own the caller's own scope, which `default` refers to */
function selectionOf(
  spec: GhostSpec,
  ids: ReadonlyMap<string, string>,
  own: string,
  shared: string | null,
): Omit<Selection, "added"> {
  const pins = pinsOf(spec, own);
  const all = spec.skills?.includes("*") ?? false;
  const listed = (spec.skills ?? []).filter((text) => text !== "*").flatMap((text) => parseReference(text) ?? []);
  const names = new Set(listed.map(({ name }) => name));
  // With all skills selected, a reference determines which skill of one name is used.
  const further = all ? [...pins.keys()].filter((name) => !names.has(name)).map((name) => ({ name, range: "*" })) : [];
  const skills = [...listed, ...further].map(({ name, range }) => ({
    name,
    range,
    skill_id: ids.get(name) ?? null,
    pin: pins.get(name) ?? null,
  }));
  return { all, skills, shared };
}

/** Returns the possible meanings of a name, first wins: the specific skill the user picked, the ghost's, any the user picked. */
export function meaningsOfName(context: Context, selection: Selection, name: string) {
  const selected = selection.skills.find((skill) => skill.name === name);
  const added = selection.added.find((skill) => skill.name === name);
  const ghosts = { name, range: "*", skill_id: null, pin: null, ...selected, scopes: scopesOf(context, selection) };
  const users = {
    name,
    range: "*",
    pin: null,
    ...added,
    skill_id: null,
    scopes: visibleScopes(context.caller.principal),
  };
  return [
    ...(added?.pin == null ? [] : [users]),
    ...(selected === undefined && !selection.all ? [] : [ghosts]),
    ...(added === undefined || added.pin !== null ? [] : [users]),
  ];
}

/** Splits the skills the user added into those found and those not found. */
export function addedSkills(entries: readonly CatalogEntry[], { added }: Selection): [Picked[], Picked[]] {
  const found = new Map(entries.map((entry) => [entry.name, entry]));
  const isThere = ({ name, pin }: Picked) => {
    const entry = found.get(name);
    return entry !== undefined && isPinned(pin, entry);
  };
  return [added.filter(isThere), added.filter((skill) => !isThere(skill))];
}
