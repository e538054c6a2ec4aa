import { describe, expect, it } from "vitest";
import type { SkillRef } from "../../../src/domain/catalog/skill-ref";
import { type ConversationState, fold } from "../../../src/domain/conversation/activation";
import type { ConversationEvent, Policy } from "../../../src/domain/conversation/event";
import { addUse, arrived, closed, NO_USES, type Uses, usesIn } from "../../../src/domain/conversation/skill-use";

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;

const ref = (name: string, version = "1"): SkillRef => ({
  ...{ name, skill_id: `skl_${name}`, version_id: `ver_${name}${version}`, version, tokens: 100, bytes: 400 },
  dependencies: name === "base" ? [] : ["base"],
});
const policy: Policy = {
  ...{ retention: 5, delivery: "auto", tool_mode: "fixed", tool_style: "load_skill" },
  ...{ max_active_skills: null, max_skill_tokens: null },
};
const loaded = (skills: SkillRef[], delivered: string[], more: object = {}): ConversationEvent => ({
  ...{ type: "loaded", turn: 1, name: skills.at(-1)?.name ?? "", skills, delivered },
  ...more,
});
const turn = (skills: SkillRef[], selected: string[], preloaded: string[] = []): ConversationEvent => ({
  ...{ type: "turn", turn: 1, policy, skills, preloaded, selected, history_cut: false, cost: { static: 0, list: 0 } },
});
const stateOf = (...events: ConversationEvent[]): ConversationState => fold(events);

describe("the uses of skills in an event", () => {
  const begun = stateOf(turn([], []));
  const active = stateOf(turn([], []), loaded([ref("base"), ref("a")], ["base", "a"], { call: "1" }));
  const told = (skill: SkillRef, loads: number, tokens: number) => {
    const { skill_id, version_id } = skill;
    return { skill_id, version_id, loads, tokens };
  };

  it.each<[string, ConversationState, ConversationEvent, ReturnType<typeof told>[]]>([
    [
      "a load with what it needs",
      begun,
      loaded([ref("base"), ref("a")], ["base", "a"]),
      [told(ref("base"), 0, 100), told(ref("a"), 1, 100)],
    ],
    ["a load that the prompt carries", begun, loaded([ref("a")], []), [told(ref("a"), 1, 100)]],
    ["a load of what stands there", active, loaded([ref("a")], []), [told(ref("a"), 1, 0)]],
    ["a load that tells it again", active, loaded([ref("a")], ["a"]), [told(ref("a"), 1, 100)]],
    ["a load of another version", active, loaded([ref("a", "2")], ["a"]), [told(ref("a", "2"), 1, 100)]],
    ["a dependency that is there", active, loaded([ref("base"), ref("b")], ["b"]), [told(ref("b"), 1, 100)]],
    ["a tool that made it active again", begun, loaded([ref("a")], [], { used: true }), []],
    ["what a user selects", begun, turn([ref("a"), ref("b")], ["a"]), [told(ref("a"), 1, 100)]],
    ["what a user goes on selecting", active, turn([ref("a")], ["a"]), []],
    ["what a ghost preloads", begun, turn([ref("a")], [], ["a"]), []],
    ["an end", active, { type: "unloaded", turn: 1, name: "a", reason: "requested" }, []],
  ])("%s", (_, state, event, expected) => {
    expect(usesIn(state, event)).toEqual(expected);
  });
});

describe("counts", () => {
  const use = { skill_id: "s", version_id: "v" };
  const sum = ({ counts }: Uses) => counts.map(({ day, loads, votes, calls }) => [day, loads, votes, calls]);

  it("add up by day and version, and speak for a skill once a day whatever its version", () => {
    let uses = addUse(NO_USES, { ...use, loads: 1 }, 1);
    uses = addUse(uses, { ...use, loads: 1, calls: 2 }, 2);
    uses = addUse(uses, { ...use, version_id: "w", loads: 1 }, 3);
    expect(sum(uses)).toEqual([
      [0, 2, 1, 2],
      [0, 1, 0, 0],
    ]);
    uses = addUse(arrived(closed(uses, HOUR, "b")), { ...use, loads: 1 }, 2 * HOUR);
    expect(sum(uses)).toEqual([[0, 1, 0, 0]]);
    uses = addUse(uses, { ...use, loads: 1 }, DAY);
    expect(sum(uses)).toEqual([
      [0, 1, 0, 0],
      [DAY, 1, 1, 0],
    ]);
  });

  it("are due an hour after the first, and after each try", () => {
    const open = addUse(addUse(NO_USES, { ...use, calls: 1 }, 5), { ...use, calls: 1 }, 50);
    expect(open.due).toBe(5 + HOUR);
    const sent = closed(open, 5 + HOUR, "one");
    expect([sent.due, sent.counts, sent.sent?.id]).toEqual([5 + 2 * HOUR, [], "one"]);
    const meanwhile = addUse(sent, { ...use, calls: 1 }, 6 + HOUR);
    const again = closed(meanwhile, 5 + 2 * HOUR, "two");
    expect([again.sent, again.counts]).toEqual([sent.sent, meanwhile.counts]);
    expect(arrived(again)).toMatchObject({ sent: null, due: 5 + 3 * HOUR, counts: meanwhile.counts });
    expect(arrived(sent).due).toBeNull();
  });

  it("that could not be sent for two days are replaced by new ones", () => {
    const sent = closed(addUse(NO_USES, { ...use, calls: 1 }, 0), HOUR, "one");
    const now = 3 * DAY;
    const next = closed(addUse(sent, { ...use, calls: 1 }, now), now, "two");
    expect([next.sent?.id, next.counts]).toEqual(["two", []]);
    expect(closed(sent, now, "two").sent).toBeNull();
  });

  it("end growing", () => {
    let uses = NO_USES;
    for (let index = 0; index < 1_100; index++) uses = addUse(uses, { ...use, version_id: `v${index}`, calls: 1 }, 1);
    expect(uses.counts).toHaveLength(1_000);
    expect(sum(addUse(uses, { ...use, version_id: "v0", calls: 1 }, 1)).at(-1)).toEqual([0, 0, 0, 2]);
  });
});
