import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  asked,
  type BrowserQuestion,
  type Ending,
  end,
  lateAnswerStatus,
  outcomeOf,
  questionIdAt,
} from "../../../src/domain/questions/question";

const question = { skill_name: null, action: "render", payload: { a: 1 }, timeout_ms: 30_000 };
const fresh = (now = 0) => asked("req_1", 1, question, now, 0);
const resolved: Ending = { state: "resolved", answer: { success: true, result: 7 }, by: "alice" };
const cancelled: Ending = { state: "cancelled", reason: "cancelled" };

describe("a request", () => {
  it("is resolved or cancelled before its deadline, and only expires from then on", () => {
    const request = fresh(1_000);
    expect(request.deadline).toBe(31_000);
    expect(end(request, { state: "expired" }, 30_999)).toBeNull();
    expect(end(request, { state: "expired" }, 31_000)).toMatchObject({ state: "expired", ended: 31_000 });
    for (const ending of [resolved, cancelled]) {
      expect(end(request, ending, 30_999)).toMatchObject({ state: ending.state, ended: 30_999 });
      expect(end(request, ending, 31_000)).toBeNull();
    }
  });

  it("ends once: of any events in any order, the first possible one counts", () => {
    const ending = fc.oneof(
      fc.integer().map((result): Ending => ({ state: "resolved", answer: { success: true, result }, by: "bob" })),
      fc.constant<Ending>({ state: "expired" }),
      fc.constant(cancelled),
    );
    const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 60_000 }), ending), { maxLength: 12 });
    fc.assert(
      fc.property(steps, (tried) => {
        const inTime = [...tried].sort(([a], [b]) => a - b);
        let request: BrowserQuestion = fresh();
        const changes: BrowserQuestion[] = [];
        for (const [now, what] of inTime) {
          const next = end(request, what, now);
          if (next === null) continue;
          changes.push(next);
          request = next;
        }
        const first = inTime.find(([now, what]) => (what.state === "expired") === now >= 30_000);
        expect(changes.length).toBe(first === undefined ? 0 : 1);
        expect(request.state).toBe(first === undefined ? "pending" : first[1].state);
        if (first?.[1].state === "resolved") expect(outcomeOf(request)).toEqual(first[1].answer);
      }),
    );
  });

  it("returns the outcome to its caller, also to one that asks later", () => {
    expect(outcomeOf(fresh())).toBeNull();
    const expired = end(fresh(), { state: "expired" }, 30_000)!;
    expect(outcomeOf(expired)).toEqual({ success: false, error: "No answer within 30s" });
    expect(lateAnswerStatus(expired)).toBe("expired");
    for (const [timeout_ms, told] of [
      [28_999, "29s"],
      [1_001, "1s"],
      [40, "0.04s"],
    ] as const) {
      const late = end(asked("req_1", 1, { ...question, timeout_ms }, 0, 0), { state: "expired" }, timeout_ms)!;
      expect(outcomeOf(late)).toMatchObject({ error: `No answer within ${told}` });
    }
    expect(outcomeOf(end(fresh(), resolved, 1)!)).toEqual({ success: true, result: 7 });
    expect(outcomeOf(end(fresh(), cancelled, 1)!)).toMatchObject({ success: false });
    expect([resolved, cancelled].map((ending) => lateAnswerStatus(end(fresh(), ending, 1)!))).toEqual([
      "already_resolved",
      "already_resolved",
    ]);
  });

  it("has an id of its place when a tool makes it", async () => {
    const site = { userId: "alice", conversation: "c", turn: 2, pass: 0, callId: "call_1", ordinal: 0 };
    const id = await questionIdAt(site);
    expect(id).toMatch(/^req_[0-9a-f]{26}$/);
    expect(await questionIdAt({ ...site })).toBe(id);
    const others = [
      { ...site, userId: "bob" },
      { ...site, conversation: "d" },
      { ...site, turn: 3 },
      { ...site, pass: 1 },
      { ...site, callId: "call_2" },
      { ...site, ordinal: 1 },
    ];
    expect(new Set([id, ...(await Promise.all(others.map(questionIdAt)))]).size).toBe(7);
  });
});
