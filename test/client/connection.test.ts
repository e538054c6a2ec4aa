import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { State } from "../../sdk/src/client/skill-gateway";
import { FakeSocket, page, settle, welcomed } from "./page";

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, "random").mockReturnValue(0);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Advances to the next attempt: no other timer runs while the page waits. */
const nextAttempt = async () => {
  await vi.advanceTimersToNextTimerAsync();
};
/** Longer than any wait. */
const aWhile = () => vi.advanceTimersByTimeAsync(60_000);

describe("connecting", () => {
  it("opens the socket with the ticket as a sub-protocol and says hello", async () => {
    const { connection } = page({ client: "tab-1" });
    expect(connection.state.status).toBe("connecting");
    await settle();
    const socket = FakeSocket.last;
    expect([socket.url, ...socket.protocols]).toEqual(["ws://gateway/socket", "skill-gateway.v1", "ticket.t1"]);
    socket.onopen?.();
    expect(socket.frames).toEqual([{ type: "hello", client: "tab-1" }]);
    expect(connection.state.status).toBe("connecting");
  });

  it("is open once it is welcome, with what is active", async () => {
    const { connection } = page();
    await settle();
    const active = [{ skill: "draw", version: "1.0.0", remaining: 5, reason: "loaded", loaded_in_turn: 3, tokens: 9 }];
    FakeSocket.last.welcome({ turn: 3, active });
    expect(connection.state).toEqual({
      ...{ status: "open", turn: 3, active, pending: [], closed: null },
      ...{ skills: null, calls: [], feedback: {} },
    });
  });

  it("notifies subscribers of every new state until they unsubscribe", async () => {
    const { connection } = page();
    const seen: State[] = [];
    const stop = connection.subscribe((state) => seen.push(state));
    await settle();
    FakeSocket.last.welcome();
    FakeSocket.last.say({ type: "skill:active", turn: 2, active: [] });
    stop();
    FakeSocket.last.say({ type: "skill:active", turn: 3, active: [] });
    expect(seen.map(({ status, turn }) => [status, turn])).toEqual([
      ["open", 1],
      ["open", 2],
    ]);
    expect(connection.state.turn).toBe(3);
  });

  it("returns a mark, which shows the gateway how much was read", async () => {
    await welcomed();
    const socket = FakeSocket.last;
    const before = socket.frames.length;
    socket.say({ type: "mark", mark: "m-1" });
    socket.say({ type: "mark", mark: "m-2" });
    expect(socket.frames.slice(before)).toEqual([
      { type: "mark", mark: "m-1" },
      { type: "mark", mark: "m-2" },
    ]);
  });

  it("passes on what providers emit", async () => {
    const { connection } = await welcomed();
    const heard: unknown[] = [];
    const stop = connection.onEvent(({ skill_name, action, payload }) => heard.push([skill_name, action, payload]));
    const event = { type: "skill:event", seq: 12, skill_name: "draw", action: "progress", payload: 0.5 };
    FakeSocket.last.say(event);
    stop();
    FakeSocket.last.say(event);
    expect(heard).toEqual([["draw", "progress", 0.5]]);
  });

  it("hands on errors, and passes over frames of later versions", async () => {
    const onError = vi.fn();
    const { connection } = await welcomed({ onError });
    FakeSocket.last.say({ type: "error", code: "TOO_MANY", message: "Slow down." });
    FakeSocket.last.say({ type: "skill:sung" });
    expect(onError.mock.calls).toEqual([[expect.objectContaining({ message: "Slow down.", code: "TOO_MANY" })]]);
    expect(connection.state.status).toBe("open");
  });
});

describe("reconnecting", () => {
  it("resumes with the ticket of the welcome and the last number it saw", async () => {
    const { connection, tickets } = await welcomed();
    FakeSocket.last.ask("r", { seq: 17 });
    FakeSocket.last.ask("earlier", { seq: 4 });
    FakeSocket.last.end();
    expect(connection.state.status).toBe("waiting");
    await vi.advanceTimersByTimeAsync(999);
    expect(FakeSocket.all).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect([FakeSocket.last.ticket, FakeSocket.last.url]).toEqual(["r1", "ws://gateway/socket"]);
    FakeSocket.last.onopen?.();
    expect(FakeSocket.last.frames).toEqual([{ type: "hello", last_seq: 17 }]);
    expect(tickets()).toBe(1);
  });

  it("does not insist on a number that the gateway does not know", async () => {
    await welcomed();
    FakeSocket.last.end();
    await nextAttempt();
    FakeSocket.last.onopen?.();
    FakeSocket.last.end(4400, "`last_seq` is greater than the newest sequence number. Connect again without it.");
    await nextAttempt();
    FakeSocket.last.onopen?.();
    expect(FakeSocket.last.frames).toEqual([{ type: "hello" }]);
  });

  it("uses each resume ticket once, and asks the back end every other time", async () => {
    await welcomed();
    const used: string[] = [];
    for (let attempt = 0; attempt < 4; attempt++) {
      FakeSocket.last.end();
      await nextAttempt();
      used.push(FakeSocket.last.ticket);
    }
    expect(used).toEqual(["r1", "t2", "r1", "t3"]);
    // This connection was accepted, so its ticket is used up, although the welcome was not received.
    FakeSocket.last.end();
    await nextAttempt();
    expect(FakeSocket.last.ticket).toBe("r1");
    FakeSocket.last.onopen?.();
    for (const expected of ["t4", "t5"]) {
      FakeSocket.last.end();
      await nextAttempt();
      expect(FakeSocket.last.ticket).toBe(expected);
    }
    FakeSocket.last.welcome({ resume: "r2" });
    await vi.advanceTimersByTimeAsync(25_000);
    FakeSocket.last.end();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(FakeSocket.last.ticket).toBe("r2");
  });

  it("waits longer after each short connection", async () => {
    const { connection } = page();
    await settle();
    for (const wait of [1_000, 2_000, 4_000]) {
      FakeSocket.last.welcome();
      FakeSocket.last.end(4429);
      await vi.advanceTimersByTimeAsync(wait - 1);
      expect(connection.state.status).toBe("waiting");
      await vi.advanceTimersByTimeAsync(1);
    }
    FakeSocket.last.welcome();
    await vi.advanceTimersByTimeAsync(25_000);
    FakeSocket.last.end(4429);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(FakeSocket.all).toHaveLength(5);
  });

  it.each([
    [0, [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]],
    [0.999999, [500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]],
  ])("waits longer each time, shortened by chance (%d)", async (chance, waits) => {
    vi.mocked(Math.random).mockReturnValue(chance);
    page();
    await settle();
    for (const wait of waits) {
      const before = FakeSocket.all.length;
      FakeSocket.last.end();
      await vi.advanceTimersByTimeAsync(wait - 1);
      expect(FakeSocket.all).toHaveLength(before);
      await vi.advanceTimersByTimeAsync(2);
      expect(FakeSocket.all).toHaveLength(before + 1);
    }
  });

  it("tries again when the back end has no ticket to give, and says why", async () => {
    const onError = vi.fn();
    const failure = new Error("502");
    const ticket = vi.fn(async () => ({ ticket: "late", url: "ws://gateway/socket" })).mockRejectedValueOnce(failure);
    const { connection } = page({ ticket, onError });
    await settle();
    expect(connection.state.status).toBe("waiting");
    expect(onError).toHaveBeenCalledExactlyOnceWith(failure);
    await nextAttempt();
    expect(FakeSocket.last.ticket).toBe("late");
  });

  it("gives up a back end that does not answer, and its late ticket with it", async () => {
    const answers: ((ticket: string) => void)[] = [];
    const ticket = () =>
      new Promise<{ ticket: string; url: string }>((resolve) =>
        answers.push((name) => resolve({ ticket: name, url: "ws://gateway/socket" })),
      );
    const { connection } = page({ ticket });
    await vi.advanceTimersByTimeAsync(20_000);
    expect(connection.state.status).toBe("waiting");
    await vi.advanceTimersByTimeAsync(1_000);
    answers[0]!("late");
    answers[1]!("good");
    await settle();
    expect(FakeSocket.all.map((socket) => socket.ticket)).toEqual(["good"]);
  });

  it("gives up a socket that is not welcomed", async () => {
    const { connection } = page();
    await settle();
    const silent = FakeSocket.last;
    silent.onopen?.();
    await vi.advanceTimersByTimeAsync(20_000);
    expect([connection.state.status, silent.closedWith]).toEqual(["waiting", 1000]);
    silent.welcome();
    expect(connection.state.status).toBe("waiting");
  });

  it("asks a silent connection for a sign of life and drops it without one", async () => {
    const { connection } = await welcomed();
    const socket = FakeSocket.last;
    await vi.advanceTimersByTimeAsync(25_000);
    expect(socket.sent.at(-1)).toBe("ping");
    socket.onmessage?.({ data: "pong" });
    await vi.advanceTimersByTimeAsync(25_000);
    expect(connection.state.status).toBe("open");
    expect(socket.sent.filter((data) => data === "ping")).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(5_000);
    expect([connection.state.status, socket.closedWith]).toEqual(["waiting", 1000]);
  });

  it("looks at once when the network or the page comes back", async () => {
    const page = new EventTarget();
    vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
    vi.stubGlobal("removeEventListener", page.removeEventListener.bind(page));
    const { connection } = await welcomed();
    page.dispatchEvent(new Event("offline"));
    expect(FakeSocket.last.sent.at(-1)).toBe("ping");
    await vi.advanceTimersByTimeAsync(5_000);
    expect(connection.state.status).toBe("waiting");
    page.dispatchEvent(new Event("offline"));
    await settle();
    expect(FakeSocket.all).toHaveLength(1);
    page.dispatchEvent(new Event("online"));
    await settle();
    expect(FakeSocket.all).toHaveLength(2);
    // The running attempt continues, and the interrupted wait is over.
    page.dispatchEvent(new Event("focus"));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(FakeSocket.all).toHaveLength(2);
    connection.close();
    page.dispatchEvent(new Event("online"));
    await settle();
    expect(FakeSocket.all).toHaveLength(2);
    vi.unstubAllGlobals();
  });
});

describe("ending", () => {
  it.each([4401, 4403, 4404])("close code %d ends it for good", async (code) => {
    const { connection } = await welcomed();
    FakeSocket.last.end(code, "so it is");
    expect(connection.state).toMatchObject({ status: "closed", closed: { code, reason: "so it is" } });
    await aWhile();
    expect(FakeSocket.all).toHaveLength(1);
  });

  it.each([1000, 1001, 1006, 1011, 1012, 1013, 4400, 4408, 4413, 4429])("close code %d does not", async (code) => {
    const { connection } = await welcomed();
    FakeSocket.last.end(code);
    expect(connection.state).toMatchObject({ status: "waiting", closed: null });
    await nextAttempt();
    expect(FakeSocket.all).toHaveLength(2);
  });

  it("a resume ticket that is refused is not the end; a new one that is, is", async () => {
    const { connection } = await welcomed();
    FakeSocket.last.end();
    await nextAttempt();
    expect(FakeSocket.last.ticket).toBe("r1");
    FakeSocket.last.onopen?.();
    FakeSocket.last.end(4401);
    expect(connection.state.status).toBe("waiting");
    await nextAttempt();
    expect(FakeSocket.last.ticket).toBe("t2");
    FakeSocket.last.onopen?.();
    FakeSocket.last.end(4401);
    expect(connection.state.status).toBe("closed");
  });

  it("the back end ends it by giving no ticket", async () => {
    const { connection } = page({ ticket: () => null });
    await settle();
    expect(connection.state).toMatchObject({ status: "closed", closed: { code: 4401, reason: "no ticket" } });
    expect(FakeSocket.all).toHaveLength(0);
  });

  it("the page ends it: the socket is closed and nothing follows", async () => {
    const { connection } = await welcomed();
    const socket = FakeSocket.last;
    connection.close();
    connection.close();
    expect(socket.closedWith).toBe(1000);
    expect(connection.state).toMatchObject({ status: "closed", closed: { code: 1000 } });
    socket.ask("r");
    await aWhile();
    expect(FakeSocket.all).toHaveLength(1);
    expect(connection.state.pending).toEqual([]);
  });

  it("the page ends it while a ticket is on its way", async () => {
    const { connection } = page();
    connection.close();
    await aWhile();
    expect(FakeSocket.all).toHaveLength(0);
  });
});
