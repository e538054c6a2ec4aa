// Plans the history edits of a caller at the start of a turn under `auto`.

import type { SkillRef } from "../../../domain/catalog/skill-ref";
import type { View } from "../../../domain/catalog/view";
import { type ConversationState, fold } from "../../../domain/conversation/activation";
import { type Carriers, carriersInEffect, carriersReported } from "../../../domain/conversation/carriers";
import type { ConversationEvent } from "../../../domain/conversation/event";
import type { Front } from "../../../domain/conversation/front";
import { editsOf, missingTexts } from "../../../domain/conversation/history-plan";
import { hasNoCache } from "../../../domain/conversation/ledger";
import { cacheLifetime } from "../../../domain/conversation/prices";
import { hasSections, holdsInstructions } from "../../../domain/conversation/prompt";
import type { LoadAnswer, Restored } from "../../../domain/conversation/restore";
import type { Usage } from "../../../domain/conversation/usage";
import { usableAmong } from "../../catalog/view";
import type { Context } from "../../context";
import type { Session } from "../../session";

/** What a caller reports about its history and model. */
export interface HistoryFacts {
  /** Ids of messages with instructions that it still has unedited; `null`: not reported. */
  have: readonly string[] | null;
  history_cut: boolean;
  model: string | null;
  cache: "cold" | null;
  /** Usage of the last request of the previous turn, and the length of the history, if reported. */
  usage: Usage | null;
  history_tokens: number | null;
}

/**
 * Whether the provider no longer caches this conversation, so that changing its beginning costs nothing: the caller says so, its reports
 * show no cache, or the cache time of the model has passed since the last event. Unknown models are never treated as cold.
 */
export function isCold(context: Context, session: Session, { model, cache, usage }: HistoryFacts): boolean {
  if (cache === "cold" || hasNoCache(session.state.ledger, usage)) return true;
  const lifetime = model === null ? null : cacheLifetime(model);
  const last = Math.max(session.store.lastChange(), session.memory.lastStep);
  return lifetime !== null && context.now() - last > lifetime;
}

/** The skills of earlier turns that can still be used. */
interface Usable {
  /** Skills whose instructions are in the history, by name, at the versions there. */
  pins: Map<string, SkillRef>;
  /** Skills known to the conversation, by name. */
  refs: Map<string, SkillRef>;
  /** Ids of versions in the history that can no longer be used, including those whose removal was optional. */
  gone: Set<string>;
}

/** Checks every skill in the history and every active skill again. */
export async function presentSkills(
  context: Context,
  { state }: Session,
  view: View,
  { have, history_cut }: HistoryFacts,
): Promise<Usable> {
  const known = carriersReported(state.carriers, have, history_cut);
  const texts = known.flatMap(({ skills }) => skills);
  const before = [...state.refs.values()];
  // If the registry is unavailable, nothing is treated as deleted.
  const usable = context.caller.stale
    ? new Set([...texts, ...before].map(({ version_id }) => version_id))
    : await usableAmong(context, view, [...texts, ...before]);
  const isUsable = ({ version_id }: SkillRef) => usable.has(version_id);
  const standing = carriersInEffect(known).flatMap(({ skills }) => skills);
  return {
    pins: lastOfEach(standing.filter(isUsable)),
    refs: lastOfEach(before.filter(isUsable)),
    gone: new Set(texts.filter((skill) => !isUsable(skill)).map(({ version_id }) => version_id)),
  };
}

/** Returns the last reference of each name. */
export function lastOfEach(skills: readonly SkillRef[]): Map<string, SkillRef> {
  return new Map(skills.map((skill) => [skill.name, skill]));
}

/** Returns skills at the versions in the history, with their dependencies. A version changes only when the skill is loaded again. */
export function pinned(
  skills: readonly SkillRef[],
  pins: ReadonlyMap<string, SkillRef>,
  known: ReadonlyMap<string, SkillRef>,
): SkillRef[] {
  const all = new Map(skills.map((skill) => [skill.name, pins.get(skill.name) ?? skill]));
  for (const skill of all.values())
    for (const name of skill.dependencies) {
      const needed = pins.get(name) ?? known.get(name);
      if (!all.has(name) && needed !== undefined) all.set(name, needed);
    }
  return [...all.values()];
}

/** The inputs for a new turn. */
interface Beginning {
  cold: boolean;
  /** Ids of versions that can no longer be used. */
  gone: ReadonlySet<string>;
  /** The remaining front; `null`: it is created anew. */
  front: Front | null;
}

/** Returns the turn's events with the requested history edits. `evict` adds the evictions in between. */
export function withHistory(
  context: Context,
  before: ConversationState,
  events: ConversationEvent[],
  { have }: HistoryFacts,
  { cold, gone, front }: Beginning,
  evict: (events: ConversationEvent[]) => void,
): void {
  const [turn] = events;
  if (turn?.type !== "turn") throw new Error("a turn begins with its event");
  const isGone = (skill: SkillRef) => gone.has(skill.version_id);
  const ask = (history: NonNullable<typeof turn.history>) => {
    events[0] = { ...turn, history };
  };
  const said = { have: have === null ? null : knownOf(before, have), edits: [], append: null };
  ask(said);
  const free = editsOf(fold(events, before), cold, isGone);
  ask({ ...said, edits: free });
  evict(events);
  const edits = [...free, ...editsOf(fold(events, before), false, isGone)];
  ask({ ...said, edits });
  const missing = missingTexts(fold(events, before), front).map(({ name }) => name);
  if (missing.length === 0 && turn.selected.length === 0) return;
  ask({ ...said, edits, append: { id: context.newId("apd"), names: missing } });
}

/** Returns the ids that are known. A caller may send its whole history; only known ids are logged. */
function knownOf({ carriers }: ConversationState, have: readonly string[]): string[] {
  const said = new Set(have);
  return carriers.flatMap(({ id }) => (said.has(id) ? id : []));
}

/** Returns the known messages that a history still contains, with all they carried. Removed texts left a marker. */
export function carriersStillInHistory(
  carriers: Carriers,
  { answers, others }: Pick<Restored, "answers" | "others">,
): string[] {
  return carriers.flatMap(({ id, kind, skills }) => {
    const texts = kind === "call" ? answers.filter((answer) => answer.id === id).map(({ text }) => text) : others;
    return texts.some((text) => hasSections(text, skills)) ? id : [];
  });
}

/**
 * Returns which answers of a history contain which instructions, so that they need not be sent again. Only a skill's own load proves it:
 * preloaded skills and dependencies may have been in a prompt that no longer exists.
 */
export function instructionsInHistory(
  session: Session,
  answers: readonly LoadAnswer[],
  skills: readonly SkillRef[],
): { id: string; names: string[] }[] {
  const texts = skills.map(({ name, version_id }) => ({
    name,
    instructions: session.store.instructions(version_id) ?? "",
  }));
  return answers.flatMap((answer) => {
    const held = texts.find((skill) => answer.name === skill.name && holdsInstructions(answer, skill));
    return held === undefined ? [] : [{ id: answer.id, names: [held.name] }];
  });
}
