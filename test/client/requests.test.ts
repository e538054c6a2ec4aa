import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Connection, HandlerContext } from "../../sdk/src/client/skill-gateway";
import { FakeSocket, page, settle, welcomed } from "./page";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** The connection is lost and opened again. */
async function reconnect(more: object = {}) {
  FakeSocket.last.end();
  await vi.advanceTimersToNextTimerAsync();
  FakeSocket.last.welcome({ resumed: true, resume: "r2", ...more });
}

const waiting = (connection: Connection) => connection.state.pending.map(({ request_id }) => request_id);

/** A handler that the test finishes. */
function held() {
  const runs: { payload: unknown; request: HandlerContext; finish: (value: unknown) => void }[] = [];
  const handler = (payload: unknown, request: HandlerContext) =>
    new Promise((finish) => runs.push({ payload, request, finish }));
  return { runs, handler };
}

describe("handlers", () => {
  it("get payload and request, and their value is the answer", async () => {
    const { connection } = await welcomed();
    const handler = vi.fn(async ({ code }: { code: string }) => ({ svg: `<svg>${code}</svg>` }));
    connection.on("render", handler);
    FakeSocket.last.ask("r1");
    expect(waiting(connection)).toEqual(["r1"]);
    await settle();
    expect(FakeSocket.last.answers).toEqual([
      {
        type: "skill:response",
        request_id: "r1",
        skill_name: "draw",
        action: "render",
        success: true,
        result: { svg: "<svg>graph</svg>" },
      },
    ]);
    expect(handler.mock.lastCall).toMatchObject([
      { code: "graph" },
      { request_id: "r1", skill_name: "draw", attempt: 1, deadline: "2030-01-01T00:00:00.000Z" },
    ]);
    expect(waiting(connection)).toEqual([]);
  });

  it.each([
    ["throws", () => Promise.reject(new Error("no canvas")), "no canvas"],
    [
      "throws at once, and no error",
      () => {
        throw "odd";
      },
      "odd",
    ],
    ["gives what JSON cannot hold", () => 1n, "Do not know how to serialize a BigInt"],
    ["gives too much", () => "x".repeat(256 * 1024), "Answer too large (limit 256 KiB). Send less data."],
  ])("answer with the failure when it %s", async (_, handler, error) => {
    const { connection } = await welcomed();
    connection.on("render", handler);
    FakeSocket.last.ask("r1");
    await settle();
    expect(FakeSocket.last.answers).toMatchObject([{ success: false, error }]);
  });

  it("answer when they give nothing", async () => {
    const { connection } = await welcomed();
    connection.on("render", () => {});
    FakeSocket.last.ask("r1");
    await settle();
    expect(FakeSocket.last.answers).toMatchObject([{ success: true }]);
  });

  it("that come later find what waits for them; those that left do not", async () => {
    const { connection } = await welcomed();
    FakeSocket.last.ask("r1");
    FakeSocket.last.ask("other", { action: "confirm" });
    await settle();
    expect(waiting(connection)).toEqual(["r1", "other"]);
    const stop = connection.on("render", () => 1);
    expect(() => connection.on("render", () => 2)).toThrow("A handler for 'render' already exists. Remove it first.");
    await settle();
    expect(FakeSocket.last.answers).toMatchObject([{ request_id: "r1", result: 1 }]);
    stop();
    FakeSocket.last.ask("r2");
    await settle();
    expect(FakeSocket.last.answers).toHaveLength(1);
    expect(waiting(connection)).toEqual(["other", "r2"]);
    connection.on("render", () => 3);
    stop();
    await settle();
    expect(FakeSocket.last.answers).toMatchObject([{ result: 1 }, { request_id: "r2", result: 3 }]);
  });

  it("are not run twice while they run, whatever is sent again", async () => {
    const { connection } = await welcomed();
    const { runs, handler } = held();
    connection.on("render", handler);
    FakeSocket.last.ask("r1");
    await settle();
    await reconnect();
    FakeSocket.last.ask("r1", { attempt: 2 });
    await settle();
    expect(runs).toHaveLength(1);
    expect(connection.state.pending).toMatchObject([{ request_id: "r1", attempt: 2 }]);
    runs[0]!.finish("done");
    await settle();
    expect(FakeSocket.last.answers).toMatchObject([{ request_id: "r1", result: "done" }]);
  });

  it("are not run twice when the answer was taken but the request is on its way again", async () => {
    const { connection } = await welcomed();
    const handler = vi.fn(() => 1);
    connection.on("render", handler);
    FakeSocket.last.ask("r1");
    await settle();
    FakeSocket.last.ack("r1");
    FakeSocket.last.ask("r1", { attempt: 2 });
    await settle();
    expect(handler).toHaveBeenCalledOnce();
    expect(FakeSocket.last.answers).toHaveLength(1);
    expect(waiting(connection)).toEqual([]);
  });

  it("run again on a new page", async () => {
    const { connection } = await welcomed();
    const { runs, handler } = held();
    connection.on("render", handler);
    FakeSocket.last.ask("r1");
    await settle();
    connection.close();
    expect(runs[0]!.request.signal.aborted).toBe(true);

    const reloaded = await welcomed();
    reloaded.connection.on("render", handler);
    FakeSocket.last.ask("r1", { attempt: 2 });
    await settle();
    expect(runs.map(({ request }) => request.attempt)).toEqual([1, 2]);
    runs[0]!.finish("of a page that is gone");
    await settle();
    expect(FakeSocket.last.answers).toEqual([]);
  });

  it("are aborted when no caller waits any more, and their answer is not sent", async () => {
    const { connection } = await welcomed();
    const { runs, handler } = held();
    connection.on("render", handler);
    FakeSocket.last.ask("r1");
    await settle();
    const { signal } = runs[0]!.request;
    expect(signal.aborted).toBe(false);
    FakeSocket.last.say({ type: "skill:cancelled", request_id: "r1", reason: "answered elsewhere" });
    expect([signal.aborted, signal.reason.message]).toEqual([true, "answered elsewhere"]);
    expect(waiting(connection)).toEqual([]);
    runs[0]!.finish("late");
    await settle();
    expect(FakeSocket.last.answers).toEqual([]);
  });

  it("are not aborted after they have finished: their answer belongs to the gateway", async () => {
    const { connection } = await welcomed();
    let signal: AbortSignal | undefined;
    connection.on("render", (_, request) => {
      signal = request.signal;
    });
    FakeSocket.last.ask("r1");
    await settle();
    FakeSocket.last.ack("r1");
    expect(signal?.aborted).toBe(false);
  });
});

describe("answers", () => {
  it("wait for the connection and go out once it is there", async () => {
    const { connection } = await welcomed();
    const { runs, handler } = held();
    connection.on("render", handler);
    FakeSocket.last.ask("r1");
    await settle();
    const lost = FakeSocket.last;
    lost.end();
    runs[0]!.finish("made offline");
    await settle();
    await vi.advanceTimersByTimeAsync(1_000);
    FakeSocket.last.onopen?.();
    expect(FakeSocket.last.answers).toEqual([]);
    FakeSocket.last.welcome();
    FakeSocket.last.ask("r1", { attempt: 2 });
    await settle();
    expect(lost.answers).toEqual([]);
    expect(FakeSocket.last.answers).toMatchObject([{ request_id: "r1", result: "made offline" }]);
  });

  it("are sent again, the same, when the connection was lost before the ack", async () => {
    const { connection } = await welcomed();
    let value = 0;
    connection.on("render", () => ++value);
    FakeSocket.last.ask("r1");
    await settle();
    const [first] = FakeSocket.last.answers;
    await reconnect();
    FakeSocket.last.ask("r1", { attempt: 2 });
    await settle();
    expect(FakeSocket.last.answers).toEqual([first]);
    FakeSocket.last.ack("r1");
    await reconnect({ resume: "r3" });
    expect(FakeSocket.last.answers).toEqual([]);
  });

  it("are sent again in a moment when the gateway cannot take them now, until there is an ack", async () => {
    const onError = vi.fn();
    const { connection } = await welcomed({ onError });
    connection.on("render", () => 1);
    FakeSocket.last.ask("r1");
    await settle();
    const error = { type: "error", code: "UNAVAILABLE", message: "later", request_id: "r1" };
    FakeSocket.last.say(error);
    expect(onError).toHaveBeenCalledOnce();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(FakeSocket.last.answers).toHaveLength(2);
    FakeSocket.last.say(error);
    FakeSocket.last.ack("r1");
    await vi.advanceTimersByTimeAsync(1_000);
    expect(FakeSocket.last.answers).toHaveLength(2);
  });

  it("by hand: the first is sent, the second is not, and each resolves with its outcome", async () => {
    const { connection } = await welcomed();
    FakeSocket.last.ask("r1");
    const first = connection.answer("r1", { success: true, result: "yes" });
    expect(await connection.answer("r1", { success: false, error: "no" })).toEqual({
      success: false,
      error: "already_resolved",
    });
    FakeSocket.last.ack("r1");
    expect(await first).toEqual({ success: true });
    expect(await connection.answer("r1", { success: true })).toEqual({ success: false, error: "already_resolved" });
    expect(await connection.answer("never", { success: true })).toEqual({ success: false, error: "unknown_request" });
    expect(FakeSocket.last.answers).toMatchObject([{ request_id: "r1", result: "yes" }]);
  });

  it("by hand end a handler that is still at it", async () => {
    const { connection } = await welcomed();
    const { runs, handler } = held();
    connection.on("render", handler);
    FakeSocket.last.ask("r1");
    await settle();
    connection.answer("r1", { success: true, result: "by hand" });
    FakeSocket.last.ack("r1");
    expect(runs[0]!.request.signal.aborted).toBe(true);
    runs[0]!.finish("by handler");
    await settle();
    expect(FakeSocket.last.answers).toMatchObject([{ result: "by hand" }]);
  });

  it.each(["already_resolved", "expired", "unknown_request"])("that are refused (%s) are over", async (error) => {
    const { connection } = await welcomed();
    FakeSocket.last.ask("r1");
    const told = connection.answer("r1", { success: true });
    FakeSocket.last.ack("r1", error);
    expect(await told).toEqual({ success: false, error });
    await reconnect();
    expect(FakeSocket.last.answers).toEqual([]);
  });

  it.each([
    ["resolved", "already_resolved"],
    ["expired", "expired"],
    ["call_cancelled", "cancelled"],
  ])("are called off by the gateway (%s)", async (reason, error) => {
    const { connection } = await welcomed();
    FakeSocket.last.ask("r1");
    const told = connection.answer("r1", { success: true });
    FakeSocket.last.say({ type: "skill:cancelled", request_id: "r1", reason });
    expect(await told).toEqual({ success: false, error });
  });

  it("are called off by the page's own end", async () => {
    const { connection } = await welcomed();
    FakeSocket.last.ask("r1");
    const told = connection.answer("r1", { success: true });
    connection.close();
    expect(await told).toEqual({ success: false, error: "closed" });
  });

  it("are remembered only as far as they can matter", async () => {
    const { connection } = await welcomed();
    const handler = vi.fn();
    connection.on("render", handler);
    for (let i = 0; i <= 1_000; i++) {
      FakeSocket.last.ask(`r${i}`);
      await settle();
      FakeSocket.last.ack(`r${i}`);
    }
    FakeSocket.last.ask("r1");
    FakeSocket.last.ask("r0");
    await settle();
    expect(handler).toHaveBeenCalledTimes(1_002);
    expect(handler.mock.lastCall?.[1]).toMatchObject({ request_id: "r0" });
  });
});

describe("what ended while the page was away", () => {
  it("is over when the welcome no longer names it", async () => {
    const { connection } = await welcomed();
    const { runs, handler } = held();
    connection.on("render", handler);
    FakeSocket.last.ask("gone");
    FakeSocket.last.ask("stays");
    await settle();
    await reconnect({ pending: ["stays"] });
    expect(waiting(connection)).toEqual(["stays"]);
    expect(runs.map(({ request }) => request.signal.aborted)).toEqual([true, false]);
  });

  it("waits for its ack when the welcome does not say", async () => {
    const { connection } = page();
    await settle();
    FakeSocket.last.welcome();
    FakeSocket.last.ask("r1");
    await reconnect();
    expect(waiting(connection)).toEqual(["r1"]);
    connection.answer("r1", { success: true });
    FakeSocket.last.ack("r1", "expired");
    expect(waiting(connection)).toEqual([]);
  });
});
