// `remaining` has the same meaning for every kind of activation: the number of unfinished turns after the turn of the load.

import { describe, expect, it } from "vitest";
import type { Retention } from "../../../../src/domain/catalog/ghost";
import { activeSkills, fold } from "../../../../src/domain/conversation/activation";
import type { ConversationEvent } from "../../../../src/domain/conversation/event";
import { loaded, policy, ref, turn } from "./events";

const [base, chart, draw] = [ref("base"), ref("chart", ["base"]), ref("draw", ["base"])];
const all = [base, chart, draw];
const MANY = 20;

const next = (events: ConversationEvent[], retention: Retention) =>
  turn(events.filter((event) => event.type === "turn").length + 1, all, { policy: policy(retention) });

/** Returns the number of turns in which a skill stays active if only turns follow. The current turn counts if it began after the load. */
function stays(events: ConversationEvent[], name: string, retention: Retention): number | null {
  const now = activeSkills(fold(events)).find(({ skill }) => skill.name === name)!;
  const count = fold(events).turn > now.loaded_in_turn ? 1 : 0;
  const log = [...events];
  for (let more = 0; more < MANY; more++) {
    log.push(next(log, retention));
    if (!activeSkills(fold(log)).some(({ skill }) => skill.name === name)) return count + more;
  }
  return null;
}

describe("`remaining`", () => {
  const stories: [string, Retention, (retention: Retention) => ConversationEvent[]][] = [];
  for (const retention of [0, 1, 3, "conversation"] as const) {
    stories.push(["loaded", retention, () => [loaded(1, [base, chart])]]);
    stories.push([
      "loaded with a later one of its dependency",
      retention,
      () => [loaded(1, [base, chart]), loaded(1, [draw])],
    ]);
  }

  it.each(stories)("%s under %s shows how long the skill can still be found", (_, retention, story) => {
    const events = [turn(1, all, { policy: policy(retention) }), ...story(retention)];
    for (let turns = 0; turns < 5; turns++) {
      for (const { skill, remaining, reason } of activeSkills(fold(events)))
        if (reason !== "dependency") expect(remaining, skill.name).toBe(stays(events, skill.name, retention));
      events.push(next(events, retention));
    }
  });

  it("is 0 for a skill that was only selected, and its dependencies: they leave after this turn", () => {
    const events = [turn(1, all, { selected: ["chart"] })];
    const shown = activeSkills(fold(events)).map(({ skill, remaining, reason }) => [skill.name, reason, remaining]);
    expect(shown).toEqual([
      ["base", "dependency", 0],
      ["chart", "selected", 0],
    ]);
    expect(activeSkills(fold([...events, turn(2, all)]))).toEqual([]);
  });

  it("comes from the load for a selected and loaded skill, and is absent for a preloaded one", () => {
    const selected = [turn(1, all), loaded(1, [base, chart]), turn(2, all, { selected: ["chart"] })];
    expect(activeSkills(fold(selected)).at(-1)).toMatchObject({ reason: "selected", remaining: 5 });
    const preloaded = [turn(1, all, { preloaded: ["chart"] })];
    expect(activeSkills(fold(preloaded)).at(-1)).toMatchObject({ reason: "preloaded", remaining: null });
  });
});
