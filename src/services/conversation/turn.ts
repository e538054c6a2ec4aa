// Begins a turn: determines which skills stay, leave, are preloaded and selected, each at its current version.

import { userScope } from "../../domain/access/access";
import { type PickedSkill, pickedOf } from "../../domain/catalog/pin";
import type { SkillRef } from "../../domain/catalog/skill-ref";
import { activeSkills, apply, type ConversationState, remainingTurns } from "../../domain/conversation/activation";
import { evictions } from "../../domain/conversation/budget";
import type { ConversationEvent, Policy } from "../../domain/conversation/event";
import { readHistory } from "../../domain/conversation/restore";
import { deliversInAnswer, policyOf, predictOf } from "../../domain/conversation/settings";
import type { Issue } from "../../domain/errors";
import type { JsonValue } from "../../domain/json";
import type { Format } from "../../domain/tools/formats";
import { storeInstructions } from "../catalog/instructions";
import { viewFor } from "../catalog/view";
import type { Context } from "../context";
import { numberOfList } from "../listings";
import { applySettings, record, type Session } from "../session";
import { factsOf } from "../tools/declarations";
import { changedSince, listCost, renewal, skillsListed, storedFront, storeFront } from "./auto/front";
import {
  carriersStillInHistory,
  type HistoryFacts,
  instructionsInHistory,
  isCold,
  pinned,
  presentSkills,
  withHistory,
} from "./auto/history-plan";
import { turnLedger } from "./billing/steps";
import { appendable, predictionFor } from "./predict";
import { resolveSet, STANDING } from "./resolve-set";
import { callsOfTurn } from "./trace";

export interface NewTurn extends HistoryFacts {
  key: string | null;
  history: readonly JsonValue[] | null;
  selected_skills: readonly PickedSkill[];
  /** The user's message, for a prediction; `null`: not sent. */
  message: string | null;
  /** Whether an MCP host begins it. Hosts take no prompt, and their list of tools has to follow the servers. */
  isForHost?: boolean;
}

/** Begins the next turn with the conversation's settings and records it. Must run inside `exclusively`. */
export async function beginTurn(
  context: Context,
  session: Session,
  request: NewTurn,
  format: Format,
): Promise<Issue[]> {
  const { settings } = session;
  const asked = pickedOf(request.selected_skills, userScope(session.userId));
  const needed = [...activeSkills(session.state).map(({ skill }) => skill), ...asked].map(({ name }) => name);
  const view = await viewFor(context, session, settings, needed);
  const warnings: Issue[] = [...view.warnings];
  if (request.history !== null && session.state.policy === null) {
    warnings.push(...(await restore(context, session, request.history, format)));
  }
  const { state } = session;
  const turn = state.turn + 1;
  const defaultsToAuto = session.defaultsToAuto && request.isForHost !== true;
  const policy = policyOf(settings, view.retention, context.settings, { format, defaultsToAuto });
  const cold = isCold(context, session, request);
  const front = policy.delivery === "auto" ? await renewal(context, session, view, cold) : null;
  const preload = front?.preload ?? view.preload;
  const standing = [...state.roots]
    .filter(([, loaded]) => remainingTurns(policy.retention, loaded, turn) !== -1)
    .map(([name]) => name);
  const picked = pickedOf([...view.added, ...request.selected_skills], userScope(context.caller.principal.userId));
  const wanted = [
    ...preload.map((name) => ({ name, code: "PRELOAD_UNAVAILABLE" })),
    ...picked.map((skill) => ({ ...skill, code: "SELECTED_UNAVAILABLE" })),
    ...standing.map((name) => ({ name, code: STANDING })),
  ];
  const set = await resolveSet(context, view, wanted);
  warnings.push(...set.warnings);
  const present = await presentSkills(context, session, view, request);
  for (const kept of front?.front?.preloaded ?? []) {
    const before = present.refs.get(kept.name);
    if (before?.version_id === kept.version_id) present.pins.set(kept.name, before);
  }
  const calls = callsOfTurn(session);
  const cost = { static: view.catalog.static_tokens, list: listCost(view, front) };
  const pin = (skills: readonly SkillRef[]) =>
    front === null ? [...skills] : pinned(skills, present.pins, present.refs);
  const ledger = turnLedger(context, session, request, { policy, view, front, list: cost.list, cold });
  const seen = { context, session, view };
  const prediction = predictionFor(seen, request.message, { skills: set.skills, policy, ledger });
  // Hosts take no prompt, so their models are shown no list.
  const list = request.isForHost === true ? null : numberOfList(session.store, skillsListed(view, front));
  const begun: Extract<ConversationEvent, { type: "turn" }> = {
    type: "turn",
    turn,
    policy,
    skills: pin(set.skills),
    preloaded: preload.filter((name) => set.direct.has(name)),
    selected: picked.flatMap(({ name }) => (set.direct.has(name) && !set.missed.has(name) ? name : [])),
    history_cut: request.history_cut,
    cost,
    ledger,
    ...(calls.length === 0 ? {} : { previous_calls: calls }),
    ...(list === null ? {} : { list }),
    ...(prediction === null ? {} : { prediction }),
  };
  const appends = policy.delivery === "auto" && predictOf(settings, view.predict) === "on";
  const withSkill = appends ? await appendable(seen, begun, { wanted, set, pin }) : null;
  // The turn event comes first: skills that are no longer available were active until the end of the previous turn.
  const events: ConversationEvent[] = [
    withSkill ?? begun,
    ...standing
      .filter((name) => !set.direct.has(name))
      .map((name): ConversationEvent => ({ type: "unloaded", turn, name, reason: "unavailable" })),
  ];
  const evict = (so: ConversationEvent[]) => warnings.push(...leaveForBudget(session, so, turn));
  if (front === null) evict(events);
  else withHistory(context, state, events, request, { cold, gone: present.gone, front: front.front }, evict);
  const next = activeAfter(session, events);
  warnings.push(...updatedSince(state, next));
  await storeInstructions(context, session, next, factsOf);
  session.store.atomically(() => {
    record(session, context, events);
    applySettings(session, settings);
    if (front !== null && front.front !== storedFront(session)) storeFront(session, front.front);
    if (request.key !== null) session.store.rememberTurn(request.key, turn);
    session.store.dropCallsBefore(turn);
    session.store.dropInstructionsExcept(activeSkills(session.state).map(({ skill }) => skill.version_id));
  });
  session.memory.made.clear();
  return warnings;
}

/** Replaces all activations by those found in a history, and sets the turn number to the history's last. */
export async function restore(
  context: Context,
  session: Session,
  history: readonly JsonValue[],
  format: Format,
): Promise<Issue[]> {
  const { turns, loads, answers, others } = readHistory(history);
  const { settings, defaultsToAuto } = session;
  const needed = loads.map(({ name }) => name);
  const view = await viewFor(context, session, settings, needed);
  const policy: Policy = policyOf(settings, view.retention, context.settings, { format, defaultsToAuto });
  const standing = loads.filter((load) => remainingTurns(policy.retention, load.turn, turns) !== -1);
  const set = await resolveSet(context, view, [
    ...view.preload.map((name) => ({ name, code: "PRELOAD_UNAVAILABLE" })),
    ...standing.map(({ name }) => ({ name, code: STANDING })),
  ]);
  // Skills named by a history that the catalog does not have were never part of this conversation. They are left out without a warning.
  const had = standing.filter((load) => set.direct.has(load.name));
  const preloaded = view.preload.filter((name) => set.direct.has(name));
  const restored = {
    type: "restored",
    turn: turns,
    policy,
    skills: set.skills,
    loads: had.reverse(),
    preloaded,
  } as const;
  const events: ConversationEvent[] = [{ ...restored, delivered: [] }];
  const warnings = [
    ...set.warnings.filter(({ code }) => code === "OVER_CEILING"),
    ...leaveForBudget(session, events, turns),
  ];
  const active = activeAfter(session, events);
  await storeInstructions(context, session, active, factsOf);
  // The instructions are needed to determine which of them the history contains.
  const held = deliversInAnswer(policy) ? instructionsInHistory(session, answers, active) : [];
  const kept = carriersStillInHistory(session.state.carriers, { answers, others });
  const calls = held.filter(({ id }) => !kept.includes(id));
  const reportedSet = policy.delivery === "auto" ? { calls, kept } : {};
  events[0] = { ...restored, delivered: [...new Set(held.flatMap(({ names }) => names))], ...reportedSet };
  session.store.atomically(() => {
    record(session, context, events);
    applySettings(session, settings);
    changedSince(session, turns);
    // Later turns are undone: their keys can begin them again, and their calls count as never made.
    session.store.forgetTurnsAfter(turns);
  });
  return warnings;
}

/** Returns warnings for skills that continue at another version. Their instructions change under a conversation that relies on them. */
function updatedSince(before: ConversationState, active: readonly SkillRef[]): Issue[] {
  const known = new Map(activeSkills(before).map(({ skill }) => [skill.name, skill]));
  return active.flatMap(({ name, skill_id, version_id, version }) => {
    const old = known.get(name);
    if (old === undefined || old.version_id === version_id) return [];
    const label = (text: string | null) => (text === null ? "a version without label" : `version ${text}`);
    const message =
      old.skill_id === skill_id
        ? `Skill '${name}' was updated from ${label(old.version)} to ${label(version)}. The new instructions apply.`
        : `The name '${name}' now refers to another skill, which takes precedence. Its instructions apply.`;
    return [{ code: "SKILL_UPDATED", message, path: name }];
  });
}

/** Returns the active skills after these events, without further reads. */
function activeAfter(session: Session, events: readonly ConversationEvent[]): SkillRef[] {
  return activeSkills(events.reduce(apply, session.state)).map(({ skill }) => skill);
}

/** Adds the evictions that the budget requires after the turn's own events. */
function leaveForBudget(session: Session, events: ConversationEvent[], turn: number): Issue[] {
  const { leaving, fits } = evictions(events.reduce(apply, session.state), null);
  for (const name of leaving) events.push({ type: "unloaded", turn, name, reason: "evicted" });
  const warnings: Issue[] = leaving.map((name) => ({
    code: "SKILL_EVICTED",
    message: `Skill '${name}' was unloaded to keep the budget. The model can load it again.`,
    path: name,
  }));
  if (fits) return warnings;
  const message =
    "Preloaded and selected skills exceed the conversation's token budget. Select fewer skills, or raise `max_skill_tokens`.";
  return [...warnings, { code: "OVER_BUDGET", message }];
}
