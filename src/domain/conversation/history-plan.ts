// What a caller is asked to do with its history at the beginning of a turn, under `auto`. Within a turn nothing that was sent is
// altered: a provider bills a changed beginning anew, and some models refuse one.

import type { SkillRef } from "../catalog/skill-ref";
import { type Activation, activeSkills, type ConversationState } from "./activation";
import { type Carrier, presentVersion } from "./carriers";
import type { ContextEdit } from "./event";
import type { Front } from "./front";

/**
 * The texts that leave now: those of a skill that is gone, also where the caller was free to keep them before, and those that the
 * budget sent away. In a cold moment also those that no active skill needs, since only then does leaving cost nothing; but not what was
 * taken out before and wanted again, as each time that costs a step more than it saves.
 */
export function editsOf(state: ConversationState, cold: boolean, isGone: (skill: SkillRef) => boolean): ContextEdit[] {
  const stay = new Set([...activeSkills(state).map(({ skill }) => skill.name), ...state.ledger.wanted_again]);
  const leaves = ({ state: standing, skills }: Carrier) =>
    standing === "due" || (standing === "there" && cold && skills.every(({ name }) => !stay.has(name)));
  return state.carriers
    .filter((carrier) => carrier.state !== "withdrawn")
    .map((carrier) => ({ carrier, required: carrier.skills.some(isGone) }))
    .filter(({ carrier, required }) => required || leaves(carrier))
    .map(({ carrier: { id }, required }) => ({ id, required }));
}

/**
 * Active skills of which nothing is told anywhere, instructions or tools: what was selected, lost with the history, or moved on while an older version stands in
 * the front.
 *
 * @param front `null`: it is made anew, with what is preloaded
 */
export function missingTexts(state: ConversationState, front: Pick<Front, "preloaded"> | null): SkillRef[] {
  const inFront = new Set(front?.preloaded.map(({ version_id }) => version_id));
  const isInFront = ({ skill, reason }: Activation) =>
    front === null ? reason === "preloaded" : inFront.has(skill.version_id);
  return activeSkills(state)
    .filter((activation) => !isInFront(activation))
    .map(({ skill }) => skill)
    .filter((skill) => presentVersion(state.carriers, skill.name)?.version_id !== skill.version_id);
}

/** What stands in place of instructions that were taken out. It is recognisable, and tells the model what it may do. */
export function replacementOf({ skills }: Carrier): string {
  const names = skills.map(({ name }) => `'${name}'`).join(", ");
  return `[skill-gateway: the instructions of ${names} were removed here. Call load_skill to have them again.]`;
}
