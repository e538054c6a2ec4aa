// What a caller is asked to do with its history at the beginning of a turn, under `auto`. Within a turn nothing that was sent is
// altered: a provider bills a changed beginning anew, and some models refuse one.

import type { SkillRef } from "../catalog/skill-ref";
import { activeSkills, type ConversationState } from "./activation";
import type { ContextEdit } from "./event";
import { type Carrier, presentVersion } from "./present";

/**
 * The texts that leave now: those of a skill that is gone, also where the caller was free to keep them before, and those that the
 * budget sent away. In a cold moment also those that no active skill needs, since only then does leaving cost nothing.
 */
export function editsOf(state: ConversationState, cold: boolean, isGone: (skill: SkillRef) => boolean): ContextEdit[] {
  const active = new Set(activeSkills(state).map(({ skill }) => skill.name));
  const leaves = ({ state: standing, skills }: Carrier) =>
    standing === "due" || (standing === "there" && cold && skills.every(({ name }) => !active.has(name)));
  return state.carriers
    .filter((carrier) => carrier.state !== "withdrawn")
    .map((carrier) => ({ carrier, required: carrier.skills.some(isGone) }))
    .filter(({ carrier, required }) => required || leaves(carrier))
    .map(({ carrier: { id }, required }) => ({ id, required }));
}

/** Active skills whose instructions stand nowhere: what was selected, or lost with the history. Preloaded ones stand in the prompt. */
export function missingTexts(state: ConversationState): SkillRef[] {
  return activeSkills(state)
    .filter(({ skill, reason }) => reason !== "preloaded" && skill.tokens > 0)
    .map(({ skill }) => skill)
    .filter((skill) => presentVersion(state.carriers, skill.name)?.version_id !== skill.version_id);
}

/** What stands in place of instructions that were taken out. It is recognisable, and tells the model what it may do. */
export function replacementOf({ skills }: Carrier): string {
  const names = skills.map(({ name }) => `'${name}'`).join(", ");
  return `[skill-gateway: the instructions of ${names} were removed here. Call load_skill to have them again.]`;
}
