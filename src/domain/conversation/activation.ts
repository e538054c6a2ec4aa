// Computes which skills are active in a conversation from its event log. Events are appended and never edited, so the state survives
// eviction, can be exported, and can be computed for any past turn.

import type { Retention } from "../catalog/ghost";
import type { SkillRef } from "../catalog/skill-ref";
import { type Carriers, carriersAfter } from "./carriers";
import type { ConversationEvent, HistoryAsk, Policy, Prediction } from "./event";
import { charge, promptTokens } from "./ledger";
import { EMPTY_LEDGER, type Ledger } from "./ledger-schema";

export interface ConversationState {
  turn: number;
  /** `null` until the first turn. */
  policy: Policy | null;
  /** Everything that can be active, by name. */
  refs: ReadonlyMap<string, SkillRef>;
  /** Skills that were loaded directly, by name: the turn of the last load. */
  roots: ReadonlyMap<string, number>;
  preloaded: readonly string[];
  selected: readonly string[];
  /** Those of `roots` that the gateway appended and the model has not loaded. */
  predicted: readonly string[];
  /** The prediction of this turn, when the turn began, and what the model has loaded since; `null`: nothing is predicted. */
  prediction: (Prediction & { at: number; loaded: readonly string[] }) | null;
  /** Position in the log and turn in which each active skill became active. */
  activated: ReadonlyMap<string, { order: number; turn: number }>;
  /** Position in the log of the last use of each skill. */
  touched: ReadonlyMap<string, number>;
  /** Versions whose instructions are in a tool result. */
  delivered: ReadonlyMap<string, string>;
  /** Under `auto`, the messages of the history that contain instructions, of active skills or not. */
  carriers: Carriers;
  /** The history edits requested from the caller when this turn began. */
  asked: HistoryAsk;
  tokens: { static: number; actual: number };
  /** The billed cost of its prompts. */
  ledger: Ledger;
  /** Events folded so far. */
  events: number;
}

export interface Activation {
  skill: SkillRef;
  /**
   * Number of turns left, including the current one but not the one in which it was loaded. 0: the skill leaves after this turn, for
   * example if it was only selected for it; `null`: no limit.
   */
  remaining: number | null;
  reason: "loaded" | "preloaded" | "selected" | "predicted" | "dependency";
  loaded_in_turn: number;
}

export const EMPTY_STATE: ConversationState = {
  turn: 0,
  policy: null,
  refs: new Map(),
  roots: new Map(),
  preloaded: [],
  selected: [],
  predicted: [],
  prediction: null,
  activated: new Map(),
  touched: new Map(),
  delivered: new Map(),
  carriers: [],
  asked: { edits: [], append: null },
  tokens: { static: 0, actual: 0 },
  ledger: EMPTY_LEDGER,
  events: 0,
};

/** Folds events onto a state. */
export function fold(events: readonly ConversationEvent[], from: ConversationState = EMPTY_STATE): ConversationState {
  return events.reduce(apply, from);
}

/**
 * Returns the turns left for a skill loaded in turn `loaded`, seen from `turn` (see `Activation`), or `-1` if it has left. A skill loaded
 * in turn T is active in T and T+1 … T+R with R, R, R-1 … 1 turns left, and has left in T+R+1 (seed 000, section 4.3).
 */
export function remainingTurns(retention: Retention, loaded: number, turn: number): number | null {
  if (retention === "conversation") return null;
  const passed = turn - loaded;
  if (passed <= 0) return retention;
  return passed > retention ? -1 : retention - passed + 1;
}

/**
 * Returns the active skills: preloaded ones in their order, then the rest by first activation; dependencies before dependants. Each walk
 * visits a skill once, because the number of paths can be exponential.
 */
export function activeSkills(state: ConversationState): Activation[] {
  const found = new Map<string, SkillRef>();
  const seen = new Set<string>();
  const grounds = groundsOf(state);
  for (const { name, reason } of grounds) if (reason === "preloaded") visit(name, state.refs, seen, found);
  const leading = found.size;
  for (const { name } of grounds) visit(name, state.refs, seen, found);
  const reasons = new Map(grounds.toReversed().map(({ name, reason }) => [name, reason]));
  const remaining = longestStay(grounds, found);
  const all = [...found].map(
    ([name, skill]): Activation => ({
      skill,
      remaining: remaining.get(name) ?? null,
      reason: reasons.get(name) ?? "dependency",
      loaded_in_turn: state.roots.get(name) ?? state.activated.get(name)?.turn ?? state.turn,
    }),
  );
  const rest = all.slice(leading).sort((a, b) => orderOf(state, a) - orderOf(state, b));
  return [...all.slice(0, leading), ...rest];
}

/** Returns an active skill and everything it needs, dependencies first. */
export function withNeeded(state: ConversationState, name: string): SkillRef[] {
  const found = new Map<string, SkillRef>();
  visit(name, state.refs, new Set(), found);
  return [...found.values()];
}

/** Finds a skill after everything it needs. A skill that was visited before is skipped, which also ends cycles. */
function visit(
  name: string,
  refs: ReadonlyMap<string, SkillRef>,
  seen: Set<string>,
  found: Map<string, SkillRef>,
): void {
  if (seen.has(name)) return;
  seen.add(name);
  const skill = refs.get(name);
  if (skill === undefined) return;
  for (const dependency of skill.dependencies) visit(dependency, refs, seen, found);
  found.set(name, skill);
}

/**
 * Returns how long each skill stays: as long as itself or the last of its dependants. The longest go first, so that one visit per skill
 * suffices.
 */
function longestStay(grounds: readonly Ground[], found: ReadonlyMap<string, SkillRef>): Map<string, number | null> {
  const turns = new Map<string, number | null>();
  const keep = (name: string, remaining: number | null) => {
    const skill = found.get(name);
    if (skill === undefined || turns.has(name)) return;
    turns.set(name, remaining);
    for (const dependency of skill.dependencies) keep(dependency, remaining);
  };
  const length = ({ remaining }: Ground) => remaining ?? Number.POSITIVE_INFINITY;
  const longestFirst = grounds.toSorted((a, b) => (length(a) === length(b) ? 0 : length(b) - length(a)));
  for (const { name, remaining } of longestFirst) keep(name, remaining);
  return turns;
}

/** A reason for which a skill is active in its own right. The first one is reported. */
interface Ground {
  name: string;
  reason: "preloaded" | "selected" | "loaded" | "predicted";
  /** Turns left; `null`: no limit. */
  remaining: number | null;
}

function groundsOf(state: ConversationState): Ground[] {
  const { policy } = state;
  if (policy === null) return [];
  const ownTurns = (name: string) => {
    const loaded = state.roots.get(name);
    return loaded === undefined ? 0 : remainingTurns(policy.retention, loaded, state.turn);
  };
  const loaded = [...state.roots.keys()].filter((name) => ownTurns(name) !== -1);
  return [
    ...state.preloaded.map((name): Ground => ({ name, reason: "preloaded", remaining: null })),
    ...state.selected.map((name): Ground => ({ name, reason: "selected", remaining: ownTurns(name) })),
    ...loaded.map(
      (name): Ground => ({
        name,
        reason: state.predicted.includes(name) ? "predicted" : "loaded",
        remaining: ownTurns(name),
      }),
    ),
  ];
}

/** Applies one event. */
export function apply(state: ConversationState, event: ConversationEvent): ConversationState {
  const before = { state, active: activeSkills(state) };
  const changed = change(state, event);
  const active = activeSkills(changed);
  const carriers = carriersAfter(state.carriers, event, active);
  const after = { state: settle({ ...changed, carriers }, active), active };
  return { ...after.state, tokens: promptTokens(before, after, event), ledger: charge(before, after, event) };
}

/** Applies an event, except to what depends on the skills that are active after it. */
function change(state: ConversationState, event: ConversationEvent): ConversationState {
  const events = state.events + 1;
  switch (event.type) {
    case "turn": {
      const alive = [...state.roots].filter(
        ([, loaded]) => remainingTurns(event.policy.retention, loaded, event.turn) !== -1,
      );
      const { prediction, ledger } = event;
      const appended = prediction?.skill?.appended === true ? [prediction.skill.name] : [];
      const roots = new Map([...alive, ...appended.map((name): [string, number] => [name, event.turn])]);
      return {
        ...state,
        events,
        turn: event.turn,
        policy: event.policy,
        refs: byName(event.skills),
        roots,
        predicted: [...new Set([...state.predicted, ...appended])].filter((name) => roots.has(name)),
        prediction: prediction === undefined ? null : { ...prediction, at: ledger?.at ?? 0, loaded: [] },
        preloaded: event.preloaded,
        selected: event.selected,
        delivered: event.history_cut ? new Map() : state.delivered,
        asked: event.history ?? { edits: [], append: null },
      };
    }
    case "loaded": {
      const delivered = new Map(state.delivered);
      const touched = new Map(state.touched);
      for (const skill of event.skills) {
        touched.set(skill.name, events);
        if (event.delivered.includes(skill.name)) delivered.set(skill.name, skill.version_id);
      }
      return {
        ...state,
        events,
        refs: new Map([...state.refs, ...byName(event.skills)]),
        roots: event.retold === true ? state.roots : new Map(state.roots).set(event.name, event.turn),
        ...afterLoad(state, event),
        touched,
        delivered,
      };
    }
    case "step":
      return { ...state, events };
    case "touched":
      return { ...state, events, touched: new Map(state.touched).set(event.name, events) };
    case "unloaded": {
      const gone = event.reason === "unavailable";
      const others = (names: readonly string[]) => (gone ? names.filter((name) => name !== event.name) : names);
      return {
        ...state,
        events,
        roots: without(state.roots, event.name),
        predicted: state.predicted.filter((name) => name !== event.name),
        refs: gone ? without(state.refs, event.name) : state.refs,
        preloaded: others(state.preloaded),
        selected: others(state.selected),
      };
    }
    case "restored":
      return {
        ...EMPTY_STATE,
        events,
        turn: event.turn,
        policy: event.policy,
        refs: byName(event.skills),
        roots: new Map(event.loads.map((load) => [load.name, load.turn])),
        preloaded: event.preloaded,
        delivered: new Map(
          event.skills.filter(({ name }) => event.delivered.includes(name)).map((s) => [s.name, s.version_id]),
        ),
        tokens: state.tokens,
      };
  }
}

/** Returns what a load changes of the predictions. A tool call that reactivates a skill is no load. */
function afterLoad(
  { predicted, prediction }: ConversationState,
  { name, used }: Extract<ConversationEvent, { type: "loaded" }>,
): Pick<ConversationState, "predicted" | "prediction"> {
  if (used === true) return { predicted, prediction };
  const loaded = [...new Set([...(prediction?.loaded ?? []), name])];
  return {
    predicted: predicted.filter((other) => other !== name),
    prediction: prediction === null ? null : { ...prediction, loaded },
  };
}

/** Updates the values that are derived from the activations. */
function settle(state: ConversationState, active: readonly Activation[]): ConversationState {
  const names = new Set(active.map((activation) => activation.skill.name));
  const activated = new Map([...state.activated].filter(([name]) => names.has(name)));
  for (const name of names)
    if (!activated.has(name)) activated.set(name, { order: state.events * 1_000 + activated.size, turn: state.turn });
  const onlyNamed = <V>(map: ReadonlyMap<string, V>) => new Map([...map].filter(([name]) => names.has(name)));
  return { ...state, activated, touched: onlyNamed(state.touched), delivered: onlyNamed(state.delivered) };
}

function orderOf(state: ConversationState, activation: Activation): number {
  return state.activated.get(activation.skill.name)?.order ?? Number.MAX_SAFE_INTEGER;
}

function byName(skills: readonly SkillRef[]): Map<string, SkillRef> {
  return new Map(skills.map((skill) => [skill.name, skill]));
}

function without<V>(map: ReadonlyMap<string, V>, name: string): Map<string, V> {
  const copy = new Map(map);
  copy.delete(name);
  return copy;
}
