// Walks from skills to their dependencies. A walk visits each skill once.

import type { SkillRef } from "../catalog/skill-ref";

/** The number of turns a skill stays in its own right; `null`: no limit. */
export interface Stay {
  name: string;
  remaining: number | null;
}

/** Finds a skill after everything it needs. A skill that was visited before is skipped, which also ends cycles. */
export function visit(
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
export function longestStay(stays: readonly Stay[], found: ReadonlyMap<string, SkillRef>): Map<string, number | null> {
  const turns = new Map<string, number | null>();
  const keep = (name: string, remaining: number | null) => {
    const skill = found.get(name);
    if (skill === undefined || turns.has(name)) return;
    turns.set(name, remaining);
    for (const dependency of skill.dependencies) keep(dependency, remaining);
  };
  const length = ({ remaining }: Stay) => remaining ?? Number.POSITIVE_INFINITY;
  const longestFirst = stays.toSorted((a, b) => (length(a) === length(b) ? 0 : length(b) - length(a)));
  for (const { name, remaining } of longestFirst) keep(name, remaining);
  return turns;
}
