// Compares the traversal that finds active skills with an exhaustive one.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SkillRef } from "../../../../src/domain/catalog/skill-ref";
import {
  type Activation,
  activeSkills,
  type ConversationState,
  EMPTY_STATE,
  fold,
  remainingTurns,
} from "../../../../src/domain/conversation/activation";
import type { ConversationEvent } from "../../../../src/domain/conversation/event";
import { policy, ref, turn } from "./events";

describe("the search for active skills", () => {
  /** Layers of two skills that each need both of the next. */
  const layers = (count: number) =>
    Array.from({ length: count }, (_, n) => {
      const next = n + 1 < count ? [`l${n + 1}a`, `l${n + 1}b`] : [];
      return [ref(`l${n}a`, next), ref(`l${n}b`, next)];
    }).flat();

  it.each([20, 200])("visits each skill of %i layers once", (count) => {
    const looked = new Map<string, number>();
    class Counted extends Map<string, SkillRef> {
      override get(name: string): SkillRef | undefined {
        looked.set(name, (looked.get(name) ?? 0) + 1);
        return super.get(name);
      }
    }
    let needs = 0;
    const counted = layers(count).map((skill) => ({
      ...skill,
      get dependencies() {
        needs++;
        return skill.dependencies;
      },
    }));
    const load: ConversationEvent = { type: "loaded", turn: 1, name: "l0b", skills: layers(count), delivered: [] };
    const begun = fold([turn(1, layers(count), { preloaded: ["l0a"] }), load]);
    const state = { ...begun, refs: new Counted(counted.map((skill) => [skill.name, skill])) };
    looked.clear();
    expect(activeSkills(state)).toHaveLength(2 * count);
    expect([...looked.values()]).toEqual(Array.from({ length: 2 * count }, () => 1));
    // One visit to find them, and one to compute how long they stay.
    expect(needs).toBe(4 * count);
  });

  const NAMES = ["a", "b", "c", "d", "e", "f"];
  const some = fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 3 });
  const retention = fc.oneof(fc.nat(3), fc.constant("conversation" as const));

  it("finds the same as a search of all paths, in the same order", () => {
    const states = fc
      .record({
        needs: fc.array(some, { minLength: NAMES.length, maxLength: NAMES.length }),
        known: fc.array(fc.boolean(), { minLength: NAMES.length, maxLength: NAMES.length }),
        preloaded: some,
        selected: some,
        roots: fc.uniqueArray(fc.tuple(fc.constantFrom(...NAMES), fc.nat(4)), { selector: ([name]) => name }),
        orders: fc.array(fc.option(fc.nat(9)), { minLength: NAMES.length, maxLength: NAMES.length }),
        retention,
      })
      .map(({ needs, known, preloaded, selected, roots, orders, retention }): ConversationState => {
        const activated = NAMES.flatMap((name, n): [string, { order: number; turn: number }][] =>
          orders[n] == null ? [] : [[name, { order: orders[n], turn: n }]],
        );
        return {
          ...EMPTY_STATE,
          turn: 4,
          policy: policy(retention),
          refs: new Map(NAMES.flatMap((name, n) => (known[n] ? [[name, ref(name, needs[n])]] : []))),
          preloaded,
          selected,
          roots: new Map(roots),
          activated: new Map(activated),
        };
      });
    fc.assert(
      fc.property(states, (state) => {
        expect(activeSkills(state)).toEqual(everyWay(state));
      }),
      { numRuns: 2_000 },
    );
  });
});

/** Returns the active skills by following every path from every root. Correct, but exponential in the number of skills. */
function everyWay(state: ConversationState): Activation[] {
  const { policy: rules } = state;
  if (rules === null) return [];
  const found = new Map<string, Activation>();
  const add = (name: string, reason: Activation["reason"], remaining: number | null, path: readonly string[]) => {
    const skill = state.refs.get(name);
    if (skill === undefined || path.includes(name)) return;
    for (const dependency of skill.dependencies) add(dependency, "dependency", remaining, [...path, name]);
    const known = found.get(name);
    const endless = known?.remaining === null || remaining === null;
    found.set(name, {
      skill,
      remaining: endless ? null : Math.max(known?.remaining ?? -1, remaining),
      reason: known === undefined || known.reason === "dependency" ? reason : known.reason,
      loaded_in_turn: state.roots.get(name) ?? state.activated.get(name)?.turn ?? state.turn,
    });
  };
  const own = (name: string) => {
    const load = state.roots.get(name);
    return load === undefined ? 0 : remainingTurns(rules.retention, load, state.turn);
  };
  for (const name of state.preloaded) add(name, "preloaded", null, []);
  const leading = found.size;
  for (const name of state.selected) add(name, "selected", own(name), []);
  for (const name of state.roots.keys()) if (own(name) !== -1) add(name, "loaded", own(name), []);
  const all = [...found.values()];
  const order = ({ skill }: Activation) => state.activated.get(skill.name)?.order ?? Number.MAX_SAFE_INTEGER;
  return [...all.slice(0, leading), ...all.slice(leading).sort((a, b) => order(a) - order(b))];
}
