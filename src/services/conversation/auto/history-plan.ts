// Planning, at the beginning of a turn under `auto`, what the caller does with its history.

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

/** What a caller says of its history and its model. */
export interface HistoryFacts {
  /** Ids of the messages with instructions that it still has, unedited; `null`: it does not say. */
  have: readonly string[] | null;
  history_cut: boolean;
  model: string | null;
  cache: "cold" | null;
  /** What the last request of the turn before used, and how long the history is now, as far as it says. */
  usage: Usage | null;
  history_tokens: number | null;
}

/**
 * Whether the provider keeps nothing of this conversation any more, so that changing its beginning costs nothing: the caller says so,
 * its reports show that it has no cache, or the model's cache has ended since anything last happened here. Of a model that is not
 * known nothing is said.
 */
export function isCold(context: Context, session: Session, { model, cache, usage }: HistoryFacts): boolean {
  if (cache === "cold" || hasNoCache(session.state.ledger, usage)) return true;
  const lifetime = model === null ? null : cacheLifetime(model);
  const last = Math.max(session.store.lastChange(), session.memory.lastStep);
  return lifetime !== null && context.now() - last > lifetime;
}

/** What of earlier turns may still be used. */
interface Usable {
  /** Skills whose instructions stand in the history, by name, each as it stands there. */
  pins: Map<string, SkillRef>;
  /** What was known of skills, by name. */
  refs: Map<string, SkillRef>;
  /** Versions in the history, by id, that may not be used any more: also those that the caller was only free to take out. */
  gone: Set<string>;
}

/** Looks again at every skill that the history holds, or that was active. */
export async function presentSkills(
  context: Context,
  { state }: Session,
  view: View,
  { have, history_cut }: HistoryFacts,
): Promise<Usable> {
  const known = carriersReported(state.carriers, have, history_cut);
  const texts = known.flatMap(({ skills }) => skills);
  const before = [...state.refs.values()];
  // Without the registry nothing is known to be gone.
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

/** The last one of each name. */
export function lastOfEach(skills: readonly SkillRef[]): Map<string, SkillRef> {
  return new Map(skills.map((skill) => [skill.name, skill]));
}

/** Skills at the versions that the history holds, with what those need. A version moves when it is loaded anew, not by itself. */
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

/** What is known of a turn that begins. */
interface Beginning {
  cold: boolean;
  /** Versions, by id, that may not be used any more. */
  gone: ReadonlySet<string>;
  /** What stays of the front; `null`: it is made anew. */
  front: Front | null;
}

/** The turn's events with what the caller is asked to do: `evict` adds what leaves for the budget in between. */
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

/** What of it is known here: a caller may name its whole history, and what is known of it is enough for the log. */
function knownOf({ carriers }: ConversationState, have: readonly string[]): string[] {
  const said = new Set(have);
  return carriers.flatMap(({ id }) => (said.has(id) ? id : []));
}

/** Which messages that were known a history still has, with all that they carried: what was taken out left a mark. */
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
 * Which answers of a history hold the instructions of which skills, which need not be given again. Only a skill's own loading tells:
 * what was preloaded, or came along as a dependency, was perhaps in a prompt that nobody has any more.
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
