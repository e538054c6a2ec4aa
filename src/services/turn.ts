// Beginning a turn: what stays, what leaves, what is preloaded and selected, each at its current version.

import { activeSkills, apply, remainingTurns } from "../domain/activation";
import { evictions } from "../domain/budget";
import { listed, refOf } from "../domain/catalog";
import { policyOf } from "../domain/conversation";
import { resolveDependencies } from "../domain/dependencies";
import type { Issue } from "../domain/errors";
import type { ConversationEvent, Policy, SkillRef } from "../domain/event";
import { LIST_FRAME_TOKENS } from "../domain/prompt";
import { readHistory } from "../domain/restore";
import type { JsonValue } from "../domain/skill";
import type { View } from "../domain/view";
import { findInView } from "./catalog";
import type { Context } from "./context";
import { keepInstructions } from "./instructions";
import { record, type Session } from "./session";
import { viewFor } from "./view";

export interface TurnRequest {
  key: string | null;
  history: readonly JsonValue[] | null;
  history_cut: boolean;
  selected_skills: readonly string[];
}

/** Begins the next turn under the conversation's settings and records it. Call it inside `exclusively`. */
export async function beginTurn(context: Context, session: Session, request: TurnRequest): Promise<Issue[]> {
  session.effective = session.settings;
  session.store.set("effective", session.settings);
  const view = await viewFor(context, session, session.effective);
  const warnings: Issue[] = [...view.warnings];
  if (request.history !== null && session.state.policy === null) {
    warnings.push(...(await restore(context, session, request.history)));
  }
  const { state } = session;
  const turn = state.turn + 1;
  const policy = policyOf(session.effective, view.retention, context.settings.SKILL_RETENTION_TURNS);
  const standing = [...state.roots]
    .filter(([, loaded]) => remainingTurns(policy.retention, loaded, turn) !== -1)
    .map(([name]) => name);
  const set = await resolveSet(context, view, [
    ...view.preload.map((name) => ({ name, code: "PRELOAD_UNAVAILABLE" })),
    ...request.selected_skills.map((name) => ({ name, code: "SELECTED_UNAVAILABLE" })),
    ...standing.map((name) => ({ name, code: "SKILL_UNLOADED" })),
  ]);
  warnings.push(...set.warnings);
  await keepInstructions(context, session, set.skills);
  const events: ConversationEvent[] = standing
    .filter((name) => !set.direct.has(name))
    .map((name) => ({ type: "unloaded", turn: state.turn, name, reason: "unavailable" }));
  const { tokens } = listed(view.catalog, view.preload);
  const cost = { static: view.catalog.static_tokens, list: view.catalog.total === 0 ? 0 : tokens + LIST_FRAME_TOKENS };
  events.push({
    type: "turn",
    turn,
    policy,
    skills: set.skills,
    preloaded: view.preload.filter((name) => set.direct.has(name)),
    selected: [...new Set(request.selected_skills)].filter((name) => set.direct.has(name)),
    history_cut: request.history_cut,
    cost,
  });
  warnings.push(...leaveForBudget(session, events, turn));
  session.store.atomically(() => {
    record(session, context, events);
    if (request.key !== null) session.store.rememberTurn(request.key, turn);
    session.store.dropCallsBefore(turn);
    session.store.dropInstructionsExcept(activeSkills(session.state).map(({ skill }) => skill.version_id));
  });
  return warnings;
}

/** Replaces all activations by what a history says, and sets the turn to the history's last. */
export async function restore(context: Context, session: Session, history: readonly JsonValue[]): Promise<Issue[]> {
  const { turns, loads } = readHistory(history);
  const view = await viewFor(context, session, session.settings);
  const policy: Policy = policyOf(session.settings, view.retention, context.settings.SKILL_RETENTION_TURNS);
  const standing = loads.filter((load) => remainingTurns(policy.retention, load.turn, turns) !== -1);
  const set = await resolveSet(
    context,
    view,
    standing.map(({ name }) => ({ name, code: "SKILL_UNLOADED" })),
  );
  await keepInstructions(context, session, set.skills);
  // What a history names but the catalog does not have was never this conversation's: it is left out without a word.
  const kept = standing.filter((load) => set.direct.has(load.name));
  record(session, context, [{ type: "restored", turn: turns, policy, skills: set.skills, loads: kept.reverse() }]);
  return [];
}

/** Resolves skills with their dependencies, each name at one version; what cannot be had is left out with a warning. */
async function resolveSet(
  context: Context,
  view: View,
  wanted: readonly { name: string; code: string }[],
): Promise<{ skills: SkillRef[]; direct: ReadonlySet<string>; warnings: Issue[] }> {
  const skills = new Map<string, SkillRef>();
  const direct = new Set<string>();
  const warnings: Issue[] = [];
  for (const { name, code } of wanted) {
    if (direct.has(name)) continue;
    const entry = await findInView(context, view, name);
    const found =
      entry === null
        ? null
        : await resolveDependencies(entry, (needed, ranges) => findInView(context, view, needed, ranges));
    const problem = problemOf(name, found, skills);
    if (problem !== null || found === null || "problem" in found) {
      warnings.push({ code, message: problem ?? "", path: name });
      continue;
    }
    direct.add(name);
    for (const needed of found.entries) skills.set(needed.name, refOf(needed));
  }
  return { skills: [...skills.values()], direct, warnings };
}

function problemOf(
  name: string,
  found: Awaited<ReturnType<typeof resolveDependencies>> | null,
  known: ReadonlyMap<string, SkillRef>,
): string | null {
  if (found === null) return `Skill '${name}' is not available.`;
  if ("problem" in found) return found.problem;
  const clash = found.entries.find(
    (entry) => (known.get(entry.name)?.version_id ?? entry.version_id) !== entry.version_id,
  );
  return clash === undefined ? null : `Skill '${name}' needs another version of '${clash.name}' than the one in use.`;
}

/** Adds the departures that the budget asks for after the turn's own events. */
function leaveForBudget(session: Session, events: ConversationEvent[], turn: number): Issue[] {
  const next = events.reduce(apply, session.state);
  const leaving = evictions(next, null);
  if (leaving === null) {
    return [{ code: "OVER_BUDGET", message: "Preloaded and selected skills alone exceed the conversation's budget." }];
  }
  for (const name of leaving) events.push({ type: "unloaded", turn, name, reason: "evicted" });
  return leaving.map((name) => ({
    code: "SKILL_EVICTED",
    message: `Skill '${name}' was unloaded to keep the budget.`,
    path: name,
  }));
}
