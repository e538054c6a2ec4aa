// The skills of a conversation as a page shows them: what there is, and what of it is in the prompt.

import type { ListedSkill, State } from "./types.js";

/** A skill of the conversation, and where it stands. */
export interface ConversationSkill extends ListedSkill {
  /**
   * `available`: the conversation may use it. `loaded`: it came into the prompt in this turn. `active`: it is there from an earlier one.
   * `leaving`: it leaves with this turn.
   */
  state: "available" | "loaded" | "active" | "leaving";
  /** How many turns it stays after this one; `null`: as long as the conversation. Of one that is available only: 0. */
  remaining: number | null;
}

/** The conversation's skills, those in the prompt first. One that is in the prompt and not in the list is there, too. */
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
