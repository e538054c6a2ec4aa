// Stores the conversation's view of the registry, and reads it again when something it depends on has changed.

import type { SkillRef } from "../../domain/catalog/skill-ref";
import type { View } from "../../domain/catalog/view";
import { activeSkills, apply } from "../../domain/conversation/activation";
import type { ConversationEvent } from "../../domain/conversation/event";
import type { ConversationSettings } from "../../domain/conversation/settings";
import type { Issue } from "../../domain/errors";
import type { Context } from "../context";
import { exclusively, record, type Session } from "../session";
import type { StandingView } from "../session-memory";
import { visibleAmong } from "./catalog";
import { isCached } from "./contents";
import { yankedIn } from "./lookups";
import { type ReadWithView, readView, viewKey } from "./read-view";

const STALE: Issue = {
  code: "catalog_stale",
  message: "The registry did not respond. The conversation uses its own copy of the catalog.",
};

/**
 * Returns the view for these settings: the stored one if nothing changed, otherwise a new one, which is stored.
 *
 * @param contents names of skills whose contents are needed; a new view reads them in the same round trip
 */
export async function viewFor(
  context: Context,
  session: Session,
  settings: ConversationSettings,
  contents: readonly string[] | null,
): Promise<View> {
  for (;;) {
    const view = await viewNow(context, session, settings, contents);
    if (view.key === session.view?.key) return view;
    // A newer caller may have read the view meanwhile; its view must not be replaced by an older one.
    if (view.key !== viewKey(context, settings)) continue;
    session.store.set("catalog", view);
    session.memory.left ??= session.view;
    session.view = view;
    session.changed?.(context);
    return view;
  }
}

/**
 * Returns the view of the current turn. If it changed, active skills that are no longer visible are unloaded immediately, with a warning.
 *
 * @param contents as in `viewFor`
 */
export async function currentView(
  context: Context,
  session: Session,
  contents: readonly string[] | null = null,
): Promise<{ view: View; warnings: Issue[] }> {
  const before = session.view;
  const view = await viewFor(context, session, session.effective, contents);
  if (view === before || view.key === before?.key) return { view, warnings: view.warnings };
  const gone = await exclusively(session, async () => {
    // The request that stored a newer view handles the unloading.
    if (session.view !== view) return [];
    const found = await lost(context, session, view);
    if (found.length > 0) record(session, context, found);
    return found;
  });
  return { view, warnings: [...view.warnings, ...gone.map(goneWarning)] };
}

/** Like `currentView` for reads: skills that are no longer visible are left out, but nothing is recorded. The next step unloads them. */
export async function standingView(context: Context, session: Session): Promise<StandingView> {
  const before = session.state;
  const view = await viewNow(context, session, session.effective, null);
  if (view.key === session.view?.key) return { view, state: before, warnings: view.warnings };
  const known = session.memory.looked;
  if (known?.before === before && known.seen.view === view) return known.seen;
  const gone = await lost(context, session, view);
  const warnings = [...view.warnings, ...gone.map(goneWarning)];
  const seen = { view, state: gone.reduce(apply, before), warnings };
  session.memory.looked = { before, seen };
  return seen;
}

async function viewNow(
  context: Context,
  session: Session,
  settings: ConversationSettings,
  contents: readonly string[] | null,
): Promise<View> {
  const known = session.view;
  if (context.caller.stale && known !== null) return { ...known, warnings: [...known.warnings, STALE] };
  const key = viewKey(context, settings);
  if (known !== null && known.key === key) return known;
  const ahead = [session.memory.looked?.seen.view, session.memory.ahead].find((view) => view?.key === key);
  return ahead ?? readView(context, settings, alongOf(session, contents));
}

/** What to read with the view about the skills of the conversation. */
function alongOf({ state, store, view, userId, id }: Session, contents: readonly string[] | null): ReadWithView {
  const texts = state.carriers.flatMap(({ skills }) => skills);
  const refs = [...activeSkills(state).map(({ skill }) => skill), ...state.refs.values(), ...texts];
  const versions = [...new Set(refs.map(({ version_id }) => version_id))];
  const isPart = view !== null && view.catalog.entries.length < view.catalog.total;
  const needed = new Set([...(contents ?? []), ...(view?.preload ?? [])]);
  const before = view?.catalog.entries.flatMap(({ name, version_id }) => (needed.has(name) ? version_id : [])) ?? [];
  const isHere = (id: string) => isCached(id) || store.instructions(id) !== null;
  return {
    versions,
    names: isPart ? [...new Set(refs.map(({ name }) => name))] : [],
    contents,
    known: contents === null ? [] : [...new Set([...versions, ...before])].filter(isHere),
    conversation: `${userId}/${id}`,
  };
}

/** Returns the unload events of active skills that this view no longer has, or not at that version. */
async function lost(context: Context, session: Session, view: View): Promise<ConversationEvent[]> {
  const { state } = session;
  const active = activeSkills(state).map(({ skill }) => skill);
  const usable = await usableAmong(context, view, active);
  return active
    .filter(({ version_id }) => !usable.has(version_id))
    .map(({ name }) => ({ type: "unloaded", turn: state.turn, name, reason: "unavailable" }));
}

/** Returns the ids of usable versions: of a visible skill, and not yanked. */
export async function usableAmong(
  context: Context,
  view: View,
  skills: readonly Pick<SkillRef, "name" | "skill_id" | "version_id">[],
): Promise<Set<string>> {
  const [visible, yanked] = await Promise.all([
    visibleAmong(context, view, skills),
    yankedIn(
      context,
      view,
      skills.map(({ version_id }) => version_id),
    ),
  ]);
  const usable = skills.filter(({ skill_id, version_id }) => visible.has(skill_id) && !yanked.has(version_id));
  return new Set(usable.map(({ version_id }) => version_id));
}

/** The warning for an active skill that the catalog no longer has. */
function goneWarning(event: ConversationEvent): Issue {
  const name = "name" in event ? event.name : "";
  return {
    code: "SKILL_UNLOADED",
    message: `Skill '${name}' is no longer available and was unloaded. It was deleted, or access to it ended.`,
    path: name,
  };
}
