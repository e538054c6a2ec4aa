// Feedback of the user on turns, sent by a page.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FakeSocket, settle, welcomed } from "./page";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const sent = () => FakeSocket.last.frames.filter(({ type }) => type === "feedback");
const ack = (more: object) => FakeSocket.last.say({ type: "ack", request_id: sent().at(-1)?.request_id, ...more });

describe("feedback", () => {
  it("is sent, and part of the state once the gateway has stored it", async () => {
    const { connection } = await welcomed({ hears: ["feedback"] });
    const given = connection.rate(1, 1, "Right.");
    await settle();
    expect(sent()).toEqual([{ type: "feedback", request_id: "feedback-1", turn: 1, score: 1, comment: "Right." }]);
    expect(connection.state.feedback).toEqual({});
    ack({ success: true });
    expect(await given).toEqual({ success: true });
    expect(connection.state.feedback).toEqual({ 1: 1 });
  });

  it("of other tabs and earlier visits is in the state, without that on undone turns", async () => {
    const { connection } = await welcomed({ hears: ["feedback"] });
    const socket = FakeSocket.last;
    socket.say({
      type: "turn:feedback",
      items: [
        { turn: 1, score: 1 },
        { turn: 4, score: -1 },
      ],
    });
    socket.say({ type: "turn:feedback", items: [{ turn: 1, score: -1 }] });
    expect(connection.state.feedback).toEqual({ 1: -1, 4: -1 });
    socket.say({ type: "skill:active", turn: 3, active: [] });
    expect(connection.state.feedback).toEqual({ 1: -1, 4: 0 });
  });

  it("reports why it was not stored", async () => {
    const { connection } = await welcomed();
    const given = connection.rate(7, -1);
    await settle();
    ack({ success: false, error: "unknown_turn" });
    expect(await given).toEqual({ success: false, error: "unknown_turn" });
    expect(connection.state.feedback).toEqual({});
    await expect(connection.rate(1, 1, "x".repeat(1_001))).rejects.toThrow(RangeError);
    expect(sent()).toHaveLength(1);
  });

  it("without an ack is sent again: over the next connection, and after a failure of storage", async () => {
    const { connection } = await welcomed();
    const given = connection.rate(1, 1);
    await settle();
    FakeSocket.last.end();
    await vi.advanceTimersToNextTimerAsync();
    FakeSocket.last.welcome();
    expect(sent()).toHaveLength(1);
    FakeSocket.last.say({ type: "error", code: "UNAVAILABLE", message: "Later.", request_id: "feedback-1" });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(sent()).toHaveLength(2);
    ack({ success: true });
    expect(await given).toEqual({ success: true });
  });

  it("is not sent again to a gateway that rejects its frame, and ends with the connection", async () => {
    const { connection } = await welcomed();
    const rejected = connection.rate(1, 1);
    await settle();
    FakeSocket.last.onclose?.({ code: 4400, reason: "The frame is not valid." });
    expect(await rejected).toEqual({ success: false, error: "closed" });
    await vi.advanceTimersToNextTimerAsync();
    FakeSocket.last.welcome();
    expect(sent()).toEqual([]);
    const open = connection.rate(1, 1);
    await settle();
    connection.close();
    expect(await open).toEqual({ success: false, error: "closed" });
    expect(await connection.rate(1, 1)).toEqual({ success: false, error: "closed" });
  });
});
