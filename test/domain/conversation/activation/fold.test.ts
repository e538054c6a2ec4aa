// The fold of the event log returns the same state from any starting point and from any snapshot.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { activeSkills, fold } from "../../../../src/domain/conversation/activation";
import { type ConversationEvent, eventSchema } from "../../../../src/domain/conversation/event";
import { freeze, thaw } from "../../../../src/domain/conversation/snapshot";
import { loaded, policy, ref, turn, unloaded } from "./events";

describe("the fold", () => {
  const draw = ref("draw");
  const events: ConversationEvent[] = [
    turn(1),
    loaded(1, [draw]),
    turn(2, [draw]),
    unloaded(2, "draw"),
    { type: "restored", turn: 1, policy: policy(5), skills: [], loads: [], preloaded: [], delivered: [] },
    turn(2),
    loaded(2, [ref("essay")]),
    turn(3, [ref("essay")]),
  ];

  it("gives the same from any point on", () => {
    for (let cut = 0; cut <= events.length; cut++)
      expect(fold(events.slice(cut), fold(events.slice(0, cut)))).toEqual(fold(events));
  });

  it("reads the log in its storage format", () => {
    expect(events.map((event) => eventSchema.parse(JSON.parse(JSON.stringify(event))))).toEqual(events);
  });
});

describe("a snapshot", () => {
  const NAMES = ["a", "b", "c", "d"];
  const some = fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 3 });
  const name = fc.constantFrom(...NAMES);
  const number = fc.integer({ min: 0, max: 6 });
  const skills = fc.tuple(some, some, fc.constantFrom("1", "2")).map(([names, needs, version]) =>
    names.map((each) =>
      ref(
        each,
        needs.filter((other) => other > each),
        version,
      ),
    ),
  );
  const rules = fc
    .tuple(fc.oneof(fc.nat(3), fc.constant("conversation" as const)), fc.constantFrom("system", "tool_result" as const))
    .map(([kept, delivery]) => policy(kept, { delivery }));
  const event: fc.Arbitrary<ConversationEvent> = fc.oneof(
    fc.record({
      type: fc.constant("turn" as const),
      turn: number,
      policy: rules,
      skills,
      preloaded: some,
      selected: some,
      history_cut: fc.boolean(),
      cost: fc.constant({ static: 9, list: 2 }),
    }),
    fc.record({ type: fc.constant("loaded" as const), turn: number, name, skills, delivered: some }),
    fc.record({ type: fc.constant("touched" as const), turn: number, name }),
    fc.record({
      type: fc.constant("unloaded" as const),
      turn: number,
      name,
      reason: fc.constantFrom("requested", "evicted", "unavailable"),
    }),
    fc.record({
      type: fc.constant("restored" as const),
      turn: number,
      policy: rules,
      skills,
      loads: some.map((names) => names.map((each, n) => ({ name: each, turn: n }))),
      preloaded: some,
      delivered: some,
    }),
  );

  it("is as good as the log before it, wherever it was made", () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 20 }), fc.nat(20), (events, cut) => {
        const snapshot = thaw(freeze(fold(events.slice(0, cut))));
        const [whole, rest] = [fold(events), fold(events.slice(cut), snapshot)];
        expect(rest).toEqual(whole);
        // Equal maps can differ in order, and the order of activations is part of the result.
        expect(freeze(rest)).toBe(freeze(whole));
        expect(activeSkills(rest)).toEqual(activeSkills(whole));
      }),
      { numRuns: 1_000 },
    );
  });
});
