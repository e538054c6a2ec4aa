// The trace of a turn: which steps it has, and when the model worked between the calls.

import { expect, it } from "vitest";
import type { ConversationEvent } from "../../../src/domain/conversation/event";
import { type TracedTurn, type TraceStep, traceOf } from "../../../src/domain/conversation/trace";

const usage = (fresh: number) => ({ fresh, cache_read: 100, cache_write: 0, output: 10 });
const asked = (at: number, fresh: number): ConversationEvent => ({
  ...{ type: "step", turn: 1, step: { at, alone: false }, usage: usage(fresh) },
});
const loaded: ConversationEvent = {
  ...{ type: "loaded", turn: 1, name: "csv", delivered: [] },
  skills: [ref("base", 300), ref("csv", 1_200)],
};
const turn = (parts: Partial<TracedTurn>): TracedTurn => ({
  ...{ at: 1_000, events: [], calls: [], questions: [], answer: null, usage: null },
  ...parts,
});
const brief = (steps: readonly TraceStep[]) =>
  steps.map(({ kind, name, at, ms, tokens }) => [kind, name, at, ms, tokens]);

function ref(name: string, tokens: number) {
  return { name, skill_id: `skl_${name}`, version_id: `ver_${name}`, version: null, tokens, dependencies: [] };
}

it("is empty if nothing is known of a turn", () => {
  expect(traceOf(turn({}))).toEqual([]);
});

it("has the model between the calls, with the tokens of its requests", () => {
  const steps = traceOf(
    turn({
      events: [asked(1_900, 500), loaded, asked(2_300, 700)],
      calls: [
        { name: "execute_skill_script", skill: "csv", at: 2_300, ms: 400, ended: "failed", error: "exit 1" },
        { name: "load_skill", skill: "csv", at: 1_900, ms: 10 },
      ],
      answer: { at: 3_500, model: "gpt" },
      usage: usage(900),
    }),
  );
  expect(brief(steps)).toEqual([
    ["model", "gpt", 1_000, 900, 610],
    ["load", "load_skill", 1_900, 10, 1_500],
    ["model", "gpt", 1_910, 390, 810],
    ["script", "execute_skill_script", 2_300, 400, null],
    ["model", "gpt", 2_700, 800, 1_010],
  ]);
  expect(steps[3]).toMatchObject({ state: "failed", skill: "csv", error: "exit 1" });
});

it("has one part of the model before calls that run at the same time", () => {
  const calls = [
    { name: "a", at: 2_000, ms: 500 },
    { name: "b", at: 2_100, ms: 100 },
    { name: "c", at: 3_000, ms: 1 },
  ];
  expect(brief(traceOf(turn({ calls })))).toEqual([
    ["model", null, 1_000, 1_000, null],
    ["tool", "a", 2_000, 500, null],
    ["tool", "b", 2_100, 100, null],
    ["model", null, 2_500, 500, null],
    ["tool", "c", 3_000, 1, null],
  ]);
});

it("ends with what runs, and does not invent the end of an answer that nobody reported", () => {
  const running = traceOf(turn({ calls: [{ name: "a", at: 2_000, ms: null }], usage: usage(5) }));
  expect(running.map(({ kind, state, ms }) => [kind, state, ms])).toEqual([
    ["model", "done", 1_000],
    ["tool", "running", null],
  ]);
  const [last] = traceOf(turn({ usage: usage(5) }));
  expect(last).toMatchObject({ kind: "model", at: 1_000, ms: null, tokens: 115 });
});

it("has questions inside the calls that ask them", () => {
  const questions = [
    { action: "confirm", skill: "csv", at: 2_000, ended: 2_800, isAnswered: true },
    { action: "form", skill: null, at: 2_900, ended: 3_000, isAnswered: false },
    { action: "form", skill: null, at: 3_100, ended: null, isAnswered: false },
  ];
  const steps = traceOf(turn({ calls: [{ name: "pay", skill: "csv", at: 2_000, ms: 1_500 }], questions }));
  expect(steps.map(({ kind, name, state, ms }) => [kind, name, state, ms])).toEqual([
    ["model", null, "done", 1_000],
    ["tool", "pay", "done", 1_500],
    ["question", "confirm", "done", 800],
    ["question", "form", "cancelled", 100],
    ["question", "form", "running", null],
  ]);
});
