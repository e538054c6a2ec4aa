// At most N active skills or M tokens: who leaves when a conversation holds more.

import { activeSkills, apply, type ConversationState } from "./activation";

/** The state's active skills exceed its policy. */
export function overBudget(state: ConversationState): boolean {
  const { policy } = state;
  if (policy === null) return false;
  const active = activeSkills(state);
  const tokens = active.reduce((sum, activation) => sum + activation.skill.tokens, 0);
  return (
    active.length > (policy.max_active_skills ?? Number.POSITIVE_INFINITY) ||
    tokens > (policy.max_skill_tokens ?? Number.POSITIVE_INFINITY)
  );
}

/**
 * The loaded skills that leave, least recently touched first, until the state fits, and whether it does then. Preloaded and
 * selected skills stay, and so does `keep`, the skill that is being loaded. A dependency leaves with its last dependant.
 */
export function evictions(state: ConversationState, keep: string | null): { leaving: string[]; fits: boolean } {
  const leaving: string[] = [];
  let current = state;
  while (overBudget(current)) {
    const needed = new Set(activeSkills(current).flatMap(({ skill }) => skill.dependencies));
    const staying = new Set([...current.preloaded, ...current.selected, ...needed]);
    const candidates = [...current.roots.keys()].filter((name) => name !== keep && !staying.has(name));
    const oldest = candidates.sort((a, b) => (current.touched.get(a) ?? 0) - (current.touched.get(b) ?? 0))[0];
    if (oldest === undefined) return { leaving, fits: false };
    leaving.push(oldest);
    current = apply(current, { type: "unloaded", turn: current.turn, name: oldest, reason: "evicted" });
  }
  return { leaving, fits: true };
}
