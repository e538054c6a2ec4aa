import { describe, expect, it } from "vitest";
import type { SkillRef } from "../../../src/domain/catalog/skill-ref";
import { activeSkills, apply, type ConversationState, EMPTY_STATE } from "../../../src/domain/conversation/activation";
import { evictions, overBudget } from "../../../src/domain/conversation/budget";

const ref = (name: string, tokens: number, dependencies: string[] = []): SkillRef => ({
  name,
  skill_id: name,
  version_id: name,
  version: null,
  tokens,
  dependencies,
});

const REFS: Record<string, SkillRef> = {
  a: ref("a", 10),
  b: ref("b", 20),
  c: ref("c", 30),
  needsA: ref("needsA", 5, ["a"]),
  huge: ref("huge", 500),
};

interface Setup {
  skills?: number;
  tokens?: number;
  preloaded?: string[];
  selected?: string[];
  /** Loads in order; `touch x` uses x. */
  steps: string[];
}

function stateOf({ skills, tokens, preloaded = [], selected = [], steps }: Setup): ConversationState {
  let state = apply(EMPTY_STATE, {
    type: "turn",
    turn: 1,
    policy: {
      retention: 5,
      delivery: "system",
      tool_mode: "dynamic",
      tool_style: "load_skill",
      max_active_skills: skills ?? null,
      max_skill_tokens: tokens ?? null,
    },
    skills: [...preloaded, ...selected].map((name) => REFS[name]!),
    preloaded,
    selected,
    history_cut: false,
    cost: { static: 0, list: 0 },
  });
  for (const step of steps) {
    if (step.startsWith("touch ")) {
      state = apply(state, { type: "touched", turn: 1, name: step.slice(6) });
      continue;
    }
    const skill = REFS[step]!;
    const needed = skill.dependencies.map((name) => REFS[name]!);
    state = apply(state, { type: "loaded", turn: 1, name: step, skills: [...needed, skill], delivered: [] });
  }
  return state;
}

describe("evictions", () => {
  it.each<[string, Setup & { keep?: string }, { leaving: string[]; fits: boolean }]>([
    ["nobody without a budget", { steps: ["a", "b", "c", "huge"] }, { leaving: [], fits: true }],
    ["nobody at the very limit", { skills: 2, tokens: 30, steps: ["a", "b"] }, { leaving: [], fits: true }],
    ["the least recently loaded", { skills: 2, steps: ["a", "b", "c"] }, { leaving: ["a"], fits: true }],
    ["the least recently touched", { skills: 2, steps: ["a", "b", "touch a", "c"] }, { leaving: ["b"], fits: true }],
    ["as many as the tokens ask for", { tokens: 35, steps: ["a", "b", "c"] }, { leaving: ["a", "b"], fits: true }],
    ["never a preloaded one", { skills: 1, preloaded: ["a"], steps: ["b", "c"] }, { leaving: ["b", "c"], fits: true }],
    [
      "never a preloaded one that was loaded, too",
      { skills: 2, preloaded: ["a"], steps: ["a", "b", "c"] },
      { leaving: ["b"], fits: true },
    ],
    ["never a selected one", { skills: 1, selected: ["a"], steps: ["b"] }, { leaving: ["b"], fits: true }],
    ["never the one being loaded", { skills: 1, steps: ["b", "a"], keep: "a" }, { leaving: ["b"], fits: true }],
    [
      "a dependency with its last dependant",
      { skills: 1, steps: ["needsA", "b"] },
      { leaving: ["needsA"], fits: true },
    ],
    [
      "not what stays needed, though it is older: it would not leave",
      { skills: 3, steps: ["needsA", "a", "b", "touch needsA", "c"] },
      { leaving: ["b"], fits: true },
    ],
    ["nobody for one that can never fit", { tokens: 100, steps: ["huge"], keep: "huge" }, { leaving: [], fits: false }],
    [
      "all loaded ones where the preloaded alone are too many",
      { skills: 1, preloaded: ["a", "b"], steps: ["c"] },
      { leaving: ["c"], fits: false },
    ],
  ])("sends away %s", (_, { keep, ...setup }, expected) => {
    const state = stateOf(setup);
    expect(evictions(state, keep ?? null)).toEqual(expected);
    const after = expected.leaving.reduce(
      (current, name) => apply(current, { type: "unloaded", turn: 1, name, reason: "evicted" }),
      state,
    );
    expect(overBudget(after)).toBe(!expected.fits);
    const still = activeSkills(after).map((active) => active.skill.name);
    expect(still.filter((name) => expected.leaving.includes(name))).toEqual([]);
  });
});
