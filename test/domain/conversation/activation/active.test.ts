// Active skills, their remaining turns, and their token costs.

import { describe, expect, it } from "vitest";
import type { Retention } from "../../../../src/domain/catalog/ghost";
import { activeSkills, apply, EMPTY_STATE, fold, remainingTurns } from "../../../../src/domain/conversation/activation";
import type { ConversationEvent } from "../../../../src/domain/conversation/event";
import { loaded, policy, ref, turn, unloaded } from "./events";

/** `name reason remaining @turn`, in order. */
const shown = (events: ConversationEvent[]) =>
  activeSkills(fold(events)).map(
    (active) => `${active.skill.name} ${active.reason} ${active.remaining} @${active.loaded_in_turn}`,
  );

it("names a predicted skill so until the model loads it, also after it was unloaded and is used again", () => {
  const a = ref("a");
  const skill = { name: "a", skill_id: a.skill_id, version_id: a.version_id, probability: 0.9, cost: 1, saved: 2 };
  const predicted = turn(1, [a], { prediction: { agent: null, skill: { ...skill, appended: true } } });
  expect(shown([predicted])).toEqual(["a predicted 5 @1"]);
  expect(shown([predicted, loaded(1, [a])])).toEqual(["a loaded 5 @1"]);
  const used = Object.assign(loaded(1, [a]), { used: true });
  expect(shown([predicted, unloaded(1, "a"), used])).toEqual(["a loaded 5 @1"]);
});

describe("retention", () => {
  // Seed 000, 4.3: a skill loaded in turn T is active in T and T+1 … T+R with R, R, R-1 … 1 remaining turns, and inactive in T+R+1.
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

  it("that grows does not restore removed skills", () => {
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

describe("instructions in earlier answers", () => {
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
  it("count the list and active skills in every turn, and each load once", () => {
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
