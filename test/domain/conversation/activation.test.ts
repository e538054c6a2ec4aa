import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Retention } from "../../../src/domain/catalog/ghost";
import type { SkillRef } from "../../../src/domain/catalog/skill-ref";
import {
  type Activation,
  activeSkills,
  apply,
  type ConversationState,
  EMPTY_STATE,
  fold,
  remainingTurns,
} from "../../../src/domain/conversation/activation";
import { type ConversationEvent, eventSchema, type Policy } from "../../../src/domain/conversation/event";
import { freeze, thaw } from "../../../src/domain/conversation/snapshot";

const policy = (retention: Retention, more: Partial<Policy> = {}): Policy => ({
  retention,
  delivery: "system",
  tool_mode: "dynamic",
  tool_style: "load_skill",
  max_active_skills: null,
  max_skill_tokens: null,
  ...more,
});

const ref = (name: string, dependencies: string[] = [], version = "1"): SkillRef => ({
  name,
  skill_id: `skl_${name}`,
  version_id: `ver_${name}_${version}`,
  version,
  tokens: 10,
  dependencies,
});

type TurnEvent = Extract<ConversationEvent, { type: "turn" }>;

const turn = (number: number, skills: SkillRef[] = [], more: Partial<TurnEvent> = {}): ConversationEvent => ({
  type: "turn",
  turn: number,
  policy: policy(5),
  skills,
  preloaded: [],
  selected: [],
  history_cut: false,
  cost: { static: 100, list: 7 },
  ...more,
});

const loaded = (number: number, skills: SkillRef[], delivered: string[] = []): ConversationEvent => ({
  type: "loaded",
  turn: number,
  name: skills.at(-1)?.name ?? "",
  skills,
  delivered,
});

const unloaded = (number: number, name: string, reason: "requested" | "evicted" | "unavailable" = "requested") =>
  ({ type: "unloaded", turn: number, name, reason }) as const;

/** `name reason remaining @turn`, in order. */
const shown = (events: ConversationEvent[]) =>
  activeSkills(fold(events)).map(
    (active) => `${active.skill.name} ${active.reason} ${active.remaining} @${active.loaded_in_turn}`,
  );

describe("retention", () => {
  // Seed 000, 4.3: loaded in T, active in T and T+1 … T+R with R, R, R-1 … 1, gone in T+R+1.
  it.each<[Retention, (number | null)[]]>([
    [5, [5, 5, 4, 3, 2, 1, -1, -1]],
    [3, [3, 3, 2, 1, -1, -1]],
    [1, [1, 1, -1, -1]],
    [0, [0, -1, -1]],
    ["conversation", [null, null, null, null, null, null, null]],
  ])("of %s turns counts %j", (retention, expected) => {
    expect(expected.map((_, passed) => remainingTurns(retention, 7, 7 + passed))).toEqual(expected);
  });

  it("begins again with every load, and not with a use", () => {
    const a = ref("a");
    const turns = (upTo: number) => Array.from({ length: upTo - 1 }, (_, index) => turn(index + 2, [a]));
    const once = [turn(1), loaded(1, [a])];
    expect(shown([...once, ...turns(4)])).toEqual(["a loaded 3 @1"]);
    expect(shown([...once, ...turns(4), { type: "touched", turn: 4, name: "a" }])).toEqual(["a loaded 3 @1"]);
    expect(shown([...once, ...turns(4), loaded(4, [a])])).toEqual(["a loaded 5 @4"]);
    expect(shown([...once, ...turns(6)])).toEqual(["a loaded 1 @1"]);
    expect(shown([...once, ...turns(7)])).toEqual([]);
  });

  it("that grows does not bring back what is gone", () => {
    const a = ref("a");
    const short = { policy: policy(1) };
    const events = [turn(1, [], short), loaded(1, [a]), turn(2, [a], short), turn(3, [a], short), turn(4, [a])];
    expect(shown(events.slice(0, 3))).toEqual(["a loaded 1 @1"]);
    expect(shown(events)).toEqual([]);
  });
});

describe("activeSkills", () => {
  const [base, chart, draw, essay] = [
    ref("base"),
    ref("chart", ["base"]),
    ref("draw"),
    ref("essay", ["chart", "draw"]),
  ];
  const all = [base, chart, draw, essay];

  it.each<[string, ConversationEvent[], string[]]>([
    ["before the first turn", [], []],
    [
      "a load with its dependencies first",
      [turn(1), loaded(1, [base, chart])],
      ["base dependency 5 @1", "chart loaded 5 @1"],
    ],
    [
      "a diamond once each",
      [turn(1), loaded(1, all)],
      ["base dependency 5 @1", "chart dependency 5 @1", "draw dependency 5 @1", "essay loaded 5 @1"],
    ],
    [
      "preloaded first in their order, the rest by first activation",
      [turn(1), loaded(1, [draw]), turn(2, all, { preloaded: ["chart"] }), loaded(2, [base])],
      ["base loaded null @2", "chart preloaded null @2", "draw loaded 5 @1"],
    ],
    ["a selection for this turn only", [turn(1, [draw], { selected: ["draw"] }), turn(2)], []],
    [
      "a selection of what is loaded keeps what is left of it",
      [turn(1), loaded(1, [draw]), turn(2, [draw]), turn(3, [draw], { selected: ["draw"] })],
      ["draw selected 4 @1"],
    ],
    [
      "a dependency as long as its last dependant",
      [turn(1), loaded(1, [base, chart]), turn(2, all), turn(3, all), loaded(3, [base])],
      ["base loaded 5 @3", "chart loaded 4 @1"],
    ],
    [
      "a dependency that was loaded itself stays without its dependant",
      [turn(1), loaded(1, [base, chart]), loaded(1, [base]), unloaded(1, "chart")],
      ["base loaded 5 @1"],
    ],
    [
      "a dependency leaves with its last dependant",
      [turn(1), loaded(1, all), loaded(1, [base, chart]), unloaded(1, "essay"), unloaded(1, "chart")],
      [],
    ],
    [
      "what was unloaded but is still needed",
      [turn(1), loaded(1, [base, chart]), loaded(1, [base]), unloaded(1, "base")],
      ["base dependency 5 @1", "chart loaded 5 @1"],
    ],
    [
      "nothing of what is unavailable, even where it is preloaded",
      [turn(1, all, { preloaded: ["draw"] }), unloaded(1, "draw", "unavailable")],
      [],
    ],
    [
      "the dependant without a dependency that went away",
      [turn(1), loaded(1, [base, chart]), unloaded(1, "base", "unavailable")],
      ["chart loaded 5 @1"],
    ],
    [
      "a restored conversation: old loads gone, preloaded there, turn set",
      [
        turn(1),
        loaded(1, [draw]),
        {
          type: "restored",
          turn: 4,
          policy: policy(5),
          skills: all,
          loads: [{ name: "chart", turn: 2 }],
          preloaded: ["draw"],
          delivered: [],
        },
      ],
      ["draw preloaded null @4", "base dependency 4 @4", "chart loaded 4 @2"],
    ],
  ])("shows %s", (_, events, expected) => {
    expect(shown(events)).toEqual(expected);
  });

  it("moves to the versions that a turn brings, and not before", () => {
    const newer = ref("draw", [], "2");
    const events = [turn(1), loaded(1, [draw])];
    const versions = (more: ConversationEvent[]) =>
      activeSkills(fold([...events, ...more])).map((a) => a.skill.version);
    expect(versions([])).toEqual(["1"]);
    expect(versions([turn(2, [newer])])).toEqual(["2"]);
  });

  it("ends in a circle of dependencies instead of running for ever", () => {
    const circle = [ref("x", ["y"]), ref("y", ["x"])];
    expect(shown([turn(1), loaded(1, circle)])).toEqual(["x dependency 5 @1", "y loaded 5 @1"]);
  });
});

describe("what stands in an answer already", () => {
  const [base, chart] = [ref("base"), ref("chart", ["base"])];
  const delivered = (events: ConversationEvent[]) => [...fold(events).delivered];
  const begun = [turn(1), loaded(1, [base, chart], ["chart"])];

  it.each<[string, ConversationEvent[], [string, string][]]>([
    ["only what the answer carried", begun, [["chart", "ver_chart_1"]]],
    [
      "the version that it carried",
      [...begun, turn(2, [base, ref("chart", ["base"], "2")])],
      [["chart", "ver_chart_1"]],
    ],
    ["nothing once history was cut", [...begun, turn(2, [base, chart], { history_cut: true })], []],
    ["nothing that left", [...begun, unloaded(1, "chart")], []],
  ])("is %s", (_, events, expected) => {
    expect(delivered(events)).toEqual(expected);
  });
});

describe("tokens", () => {
  it("count the list and what is active in every turn, and each load once", () => {
    const [base, chart] = [ref("base"), ref("chart", ["base"])];
    const steps: [ConversationEvent, number, number][] = [
      [turn(1), 100, 7],
      [loaded(1, [base, chart]), 100, 27],
      [loaded(1, [chart]), 100, 27],
      [turn(2, [base, chart]), 200, 54],
      [unloaded(2, "chart"), 200, 54],
      [turn(3), 300, 61],
    ];
    let state = EMPTY_STATE;
    for (const [event, all, actual] of steps) {
      state = apply(state, event);
      expect(state.tokens).toEqual({ static: all, actual });
    }
  });
});

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

  it("takes the log through its storage format", () => {
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
        // Maps that are equal may differ in their order, and the order of activations is told.
        expect(freeze(rest)).toBe(freeze(whole));
        expect(activeSkills(rest)).toEqual(activeSkills(whole));
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("the walk to what is active", () => {
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
    // Once to find them, once to see how long they stay.
    expect(needs).toBe(4 * count);
  });

  const NAMES = ["a", "b", "c", "d", "e", "f"];
  const some = fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 3 });
  const retention = fc.oneof(fc.nat(3), fc.constant("conversation" as const));

  it("finds what walking every way finds, in the same order", () => {
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

/** What is active, found by walking every way from every ground to it. Right, and hopeless on more than a few skills. */
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
