// Lists the skills of a conversation with their state in the prompt, for display.

import type { ListedSkill, State } from "./types.js";

/** A skill of the conversation with its state. */
export interface ConversationSkill extends ListedSkill {
  /**
   * `available`: the conversation can use it. `loaded`: it was added to the prompt in this turn. `active`: it is in the prompt since an
   * earlier turn. `leaving`: it is removed after this turn.
   */
  state: "available" | "loaded" | "active" | "leaving";
  /** Number of turns left, as in `ActiveSkill`. `null`: it stays for the whole conversation. 0 for a skill that is only available. */
  remaining: number | null;
}

/** Returns the conversation's skills, those in the prompt first. Includes skills that are in the prompt but not in the list. */
export function skillsIn({ skills, active, turn }: Pick<State, "skills" | "active" | "turn">): ConversationSkill[] {
  const listed = new Map(skills?.listed.map((one) => [one.skill, one]));
  const inPrompt = active.map((one): ConversationSkill => {
    const { skill, version, tokens, remaining, loaded_in_turn } = one;
    const { description, user_only } = listed.get(skill) ?? { description: "", user_only: false };
    const state = remaining === 0 ? "leaving" : loaded_in_turn === turn ? "loaded" : "active";
    return { skill, description, version, tokens, user_only, state, remaining };
  });
  const names = new Set(active.map(({ skill }) => skill));
  const others = [...listed.values()].filter(({ skill }) => !names.has(skill));
  return [...inPrompt, ...others.map((one) => ({ ...one, state: "available" as const, remaining: 0 }))];
}
