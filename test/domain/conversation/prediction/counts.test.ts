// Counts of predictions from the events of a conversation, and the activation of an appended skill.

import { describe, expect, it } from "vitest";
import { activeSkills, fold } from "../../../../src/domain/conversation/activation";
import { type ConversationEvent, eventSchema, type Prediction } from "../../../../src/domain/conversation/event";
import {
  NO_PREDICTIONS,
  type PredictionSums,
  predictionIn,
  sumOfPredictions,
} from "../../../../src/domain/conversation/prediction/counts";
import { addPrediction, arrived, closed, NO_USES } from "../../../../src/domain/conversation/skill-use";
import { freeze, thaw } from "../../../../src/domain/conversation/snapshot";
import { loaded, policy, ref, turn, unloaded } from "../activation/events";

const auto = policy(1, { delivery: "auto", tool_mode: "fixed" });
const predicted = (name: string, more: object = {}): Prediction => ({
  agent: "gho_1",
  skill: {
    ...{ name, skill_id: `id-${name}`, version_id: ref(name).version_id },
    ...{ probability: 0.9, cost: 700, saved: 300, appended: false, ...more },
  },
});
const ledger = { at: 1_000, cold: false, shared: 0, own: 0, history_tokens: null, usage: null, steps: 0 };
const price = { match: null, read: 1, write: 1, long_write: 1, min_tokens: 0, ttl_ms: null };
const begun = (number: number, prediction?: Prediction, names: string[] = []) =>
  turn(
    number,
    names.map((name) => ref(name)),
    { policy: auto, ledger: { ...ledger, price }, ...(prediction === undefined ? {} : { prediction }) },
  );
const load = (number: number, name: string, more: object = {}): ConversationEvent => ({
  ...(loaded(number, [ref(name)], [name]) as Extract<ConversationEvent, { type: "loaded" }>),
  ...{ step: { at: 3_500, alone: true }, ...more },
});

/** The sums of all events. */
function countsOf(...events: ConversationEvent[]): PredictionSums {
  let state = fold([]);
  let sums = NO_PREDICTIONS;
  for (const event of events) {
    sums = sumOfPredictions(sums, predictionIn(state, event)?.sums ?? NO_PREDICTIONS);
    state = fold([event], state);
  }
  return sums;
}

describe("the counts of predictions", () => {
  it("of a hit are what it would have saved, and the time until the model had loaded the skill", () => {
    expect(countsOf(begun(1, predicted("draw")), load(1, "draw"))).toEqual({
      ...{ messages: 1, predicted: 1, appended: 0, needed: 1, hits: 1 },
      ...{ saved: 300, lost: 0, saved_ms: 2_500 },
    });
  });

  it("of a miss are what it would have lost", () => {
    const miss = { ...NO_PREDICTIONS, messages: 1, predicted: 1, lost: 700 };
    expect(countsOf(begun(1, predicted("draw")))).toEqual(miss);
    expect(countsOf(begun(1, predicted("draw")), load(1, "paint"))).toEqual({ ...miss, needed: 1 });
  });

  it("contain a turn once, however often the model loads", () => {
    const events = [begun(1, predicted("draw")), load(1, "paint"), load(1, "draw"), load(1, "draw"), load(1, "ink")];
    expect(countsOf(...events)).toMatchObject({ needed: 1, hits: 1 });
  });

  it("do not compare an appended skill, a repetition of its text, or a tool call that reactivates it", () => {
    const appended = begun(1, predicted("draw", { appended: true }), ["draw"]);
    expect(countsOf(appended, load(1, "paint"))).toEqual({
      ...{ ...NO_PREDICTIONS, messages: 1, predicted: 1, appended: 1 },
    });
    const before = begun(1, predicted("draw"));
    expect(countsOf(before, load(1, "draw", { used: true }), load(1, "draw", { retold: true }))).toMatchObject({
      needed: 0,
      hits: 0,
    });
  });

  it("contain messages without a likely skill, and nothing of turns without a message or an agent", () => {
    expect(countsOf(begun(1, { agent: "gho_1", skill: null }), load(1, "draw"))).toEqual({
      ...{ ...NO_PREDICTIONS, messages: 1, needed: 1 },
    });
    expect(countsOf(begun(1), load(1, "draw"))).toEqual(NO_PREDICTIONS);
    expect(countsOf(begun(1, { ...predicted("draw"), agent: null }), load(1, "draw"))).toEqual(NO_PREDICTIONS);
  });

  it("are sent in one batch per hour, and again if it may not have arrived", () => {
    const one = { agent: "gho_1", sums: { ...NO_PREDICTIONS, messages: 1 } };
    const uses = addPrediction(addPrediction(NO_USES, one, 5), one, 6);
    expect(uses.predictions).toEqual([{ ...NO_PREDICTIONS, day: 0, agent: "gho_1", messages: 2 }]);
    const sent = closed(uses, uses.due ?? 0, "use_1");
    expect([sent.sent?.predictions, sent.predictions]).toEqual([uses.predictions, []]);
    const more = addPrediction(sent, one, 7);
    expect(closed(more, more.due ?? 0, "use_2").sent).toEqual(sent.sent);
    expect(arrived(more)).toMatchObject({ sent: null, due: more.due });
  });

  it("are of a limited number of agents", () => {
    const many = Array.from({ length: 100 }, (_, n) => ({ agent: `gho_${n}`, sums: NO_PREDICTIONS }));
    expect(many.reduce((uses, one) => addPrediction(uses, one, 1), NO_USES).predictions).toHaveLength(16);
  });
});

describe("an appended skill", () => {
  const appended = begun(1, predicted("draw", { appended: true }), ["draw"]);
  const reasons = (...events: ConversationEvent[]) =>
    activeSkills(fold(events)).map(({ skill, reason, remaining }) => [skill.name, reason, remaining]);

  it("stays for its retention, as if it were loaded", () => {
    expect(reasons(appended)).toEqual([["draw", "predicted", 1]]);
    expect(reasons(appended, begun(2, undefined, ["draw"]))).toEqual([["draw", "predicted", 1]]);
    expect(reasons(appended, begun(2, undefined, ["draw"]), begun(3))).toEqual([]);
  });

  it("is loaded when the model loads it, and gone when it is unloaded", () => {
    expect(reasons(appended, begun(2, undefined, ["draw"]), load(2, "draw"))).toEqual([["draw", "loaded", 1]]);
    expect(reasons(appended, unloaded(1, "draw", "requested"))).toEqual([]);
    const again = [appended, unloaded(1, "draw", "requested"), load(1, "draw")];
    expect(reasons(...again)).toEqual([["draw", "loaded", 1]]);
  });

  it("is the same after the state was stored and its event was read", () => {
    const state = fold([appended]);
    expect(thaw(freeze(state))).toEqual(state);
    expect(fold([eventSchema.parse(JSON.parse(JSON.stringify(appended)))])).toEqual(state);
  });

  it("is not in a state that an earlier gateway stored", () => {
    const { predicted: _, prediction: __, ...old } = fold([begun(1)]);
    expect(thaw(freeze(old as never))).toMatchObject({ predicted: [], prediction: null });
  });
});
