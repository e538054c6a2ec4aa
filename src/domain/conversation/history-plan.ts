// Plans the history edits requested from a caller at the start of a turn, under `auto`. Within a turn, nothing that was sent changes:
// providers bill a changed prefix again, and some models reject it.

import type { SkillRef } from "../catalog/skill-ref";
import { type Activation, activeSkills, type ConversationState } from "./activation";
import { type Carrier, presentVersion } from "./carriers";
import type { ContextEdit } from "./event";
import type { Front } from "./front";

/**
 * Returns the texts that leave now: those of unavailable skills, even if their removal was optional before, and those evicted by the
 * budget. If the cache is cold, also those that no active skill needs, because then removal costs nothing; except texts that were removed
 * before and requested again, because each repetition costs more than it saves.
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
 * Returns active skills of which the model sees neither instructions nor tools: selected ones, those lost with the history, and those whose
 * older version is in the front.
 *
 * @param front `null`: it is created anew with the preloaded skills
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

/** Returns the text that replaces removed instructions. It is recognizable, and says how the model can load the skill again. */
export function replacementOf({ skills }: Carrier): string {
  const names = skills.map(({ name }) => `'${name}'`).join(", ");
  return `[skill-gateway: the instructions of ${names} were removed here. Call load_skill to have them again.]`;
}
