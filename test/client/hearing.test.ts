// What a subscribed page receives about skills and calls.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { skillsIn, type ToolCall } from "../../sdk/src/client/skill-gateway";
import { FakeSocket, page, settle, welcomed } from "./page";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const listed = (skill: string) => ({ skill, description: `${skill}!`, version: "1.0.0", tokens: 9, user_only: false });
const active = (skill: string, more: object = {}) => ({
  ...{ skill, version: "2.0.0", remaining: 3, reason: "loaded" as const, loaded_in_turn: 1, tokens: 12 },
  ...more,
});
const made = (call_id: string, state: ToolCall["state"] = "running"): ToolCall => ({
  ...{ call_id, name: "draw", skill: "art", state, turn: 1, started_at: "2026-11-22T00:00:00.000Z" },
  ended_at: state === "running" ? null : "2026-11-22T00:00:01.000Z",
});

describe("a page", () => {
  it("sends its topics in every hello, and receives nothing without topics", async () => {
    await welcomed({ hears: ["skills", "calls"] });
    expect(FakeSocket.last.frames).toEqual([{ type: "hello", hears: ["skills", "calls"] }]);
    FakeSocket.last.end();
    await vi.advanceTimersToNextTimerAsync();
    FakeSocket.last.onopen?.();
    expect(FakeSocket.last.frames).toMatchObject([{ hears: ["skills", "calls"] }]);
    await welcomed();
    expect(FakeSocket.last.frames).toEqual([{ type: "hello" }]);
  });

  it("says what it answers: in its hello, and again when that has changed", async () => {
    const { connection } = page({ answers: ["open_url"] });
    connection.on("form", () => null);
    await settle();
    const socket = FakeSocket.last;
    socket.onopen?.();
    expect(socket.frames).toEqual([{ type: "hello", answers: ["form", "open_url"] }]);
    // Frames between hello and welcome are delivered after the welcome.
    const stop = connection.on("choose", () => null);
    await settle();
    expect(socket.frames).toHaveLength(1);
    socket.say({ type: "welcome", seq: 0, turn: 1, active: [], resume: "r1", pending: [] });
    await settle();
    expect(socket.frames.slice(1)).toEqual([{ type: "answers", answers: ["choose", "form", "open_url"] }]);
    // Replacing a handler, as when a component renders again, sends nothing.
    stop();
    const gone = connection.on("choose", () => null);
    await settle();
    gone();
    await settle();
    expect(socket.frames.slice(2)).toEqual([{ type: "answers", answers: ["form", "open_url"] }]);
    socket.end();
    await vi.advanceTimersToNextTimerAsync();
    FakeSocket.last.onopen?.();
    expect(FakeSocket.last.frames).toMatchObject([{ type: "hello", answers: ["form", "open_url"] }]);
  });

  it("has the newest list of skills", async () => {
    const { connection } = page({ hears: ["skills"] });
    await settle();
    FakeSocket.last.welcome();
    expect(connection.state.skills).toBeNull();
    FakeSocket.last.say({ type: "skill:list", skills: [listed("a")], total: 1 });
    FakeSocket.last.say({ type: "skill:list", skills: [listed("a"), listed("b")], total: 400 });
    expect(connection.state.skills).toEqual({ listed: [listed("a"), listed("b")], total: 400 });
  });

  it("follows calls by their ids, and uses the whole list after a reconnect", async () => {
    const { connection } = await welcomed({ hears: ["calls"] });
    const say = (frame: object) => FakeSocket.last.say(frame);
    say({ type: "tool:calls", turn: 1, calls: [made("a", "done")] });
    say({ type: "tool:call", call: made("b") });
    say({ type: "tool:call", call: made("c") });
    say({ type: "tool:call", call: made("b", "failed") });
    const states = () => connection.state.calls.map(({ call_id, state }) => `${call_id} ${state}`);
    expect(states()).toEqual(["a done", "b failed", "c running"]);
    // The gateway was killed during the call.
    FakeSocket.last.end();
    await vi.advanceTimersToNextTimerAsync();
    FakeSocket.last.welcome();
    say({ type: "tool:calls", turn: 1, calls: [made("a", "done"), made("b", "failed")] });
    expect(states()).toEqual(["a done", "b failed"]);
    say({ type: "tool:call", call: made("c") });
    say({ type: "tool:calls", turn: 2, calls: [] });
    expect(states()).toEqual([]);
  });
});

describe("the skills of a conversation", () => {
  it("stand by what of them is in the prompt", () => {
    const skills = { listed: ["a", "b", "c", "d"].map(listed), total: 9 };
    const inPrompt = [
      active("c", { loaded_in_turn: 5 }),
      active("b", { remaining: null }),
      active("d", { remaining: 0 }),
      active("hidden"),
    ];
    const told = skillsIn({ skills, active: inPrompt, turn: 5 });
    expect(told.map(({ skill, state, remaining }) => [skill, state, remaining])).toEqual([
      ["c", "loaded", 3],
      ["b", "active", null],
      ["d", "leaving", 0],
      ["hidden", "active", 3],
      ["a", "available", 0],
    ]);
    // The version in the prompt is reported, not the newest one.
    expect(told[0]).toMatchObject({ version: "2.0.0", tokens: 12, description: "c!" });
    expect(told[3]).toMatchObject({ description: "" });
  });

  it("are those in the prompt, as long as there is no list", () => {
    expect(skillsIn({ skills: null, active: [active("a")], turn: 2 }).map(({ skill }) => skill)).toEqual(["a"]);
    expect(skillsIn({ skills: null, active: [], turn: 0 })).toEqual([]);
  });
});
