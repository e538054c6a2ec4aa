// Relaying a stream with a simulated clock: pauses, keep-alives, ends.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { UPSTREAM_LIMITS } from "../../../src/domain/limits";
import { writeEvent } from "../../../src/domain/servers/event-stream";
import { type EventRelayOptions, relay } from "../../../src/services/proxy/event-relay";
import { UpstreamFault } from "../../../src/upstream/fault";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A stream of a server that the test controls, and what the client receives. */
function wire(options: Partial<EventRelayOptions> = {}) {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>({}, { highWaterMark: 100 });
  const writer = writable.getWriter();
  const relayed = relay(readable.getReader(), {
    pending: [1],
    firstMs: 40_000,
    silenceMs: 40_000,
    now: Date.now,
    pass: writeEvent,
    failure: (id, fault) => `${id}: ${fault.message}`,
    failureEvent: () => "",
    ...options,
  });
  let told = "";
  let state = "open";
  const reader = relayed.pipeThrough(new TextDecoderStream()).getReader();
  const reading = (async () => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      told += value;
    }
    state = "closed";
  })().catch(() => {
    state = "broken";
  });
  return {
    send: (text: string) => writer.write(new TextEncoder().encode(text)),
    end: () => writer.close(),
    break: () => writer.abort(new UpstreamFault("closed", "the server closed the connection")),
    closed: () => reading,
    now: () => ({ told, state }),
    writer,
  };
}

const LATE = "data: 1: the server did not respond within 40s\n\n";
const KEEP = ": keep-alive\n\n";

describe("a stream that answers a request", () => {
  it("fails after a pause, and sends a keep-alive every 15 seconds", async () => {
    const line = wire();
    await vi.advanceTimersByTimeAsync(39_000);
    expect(line.now()).toEqual({ told: KEEP + KEEP, state: "open" });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(line.now()).toEqual({ told: KEEP + KEEP + LATE, state: "closed" });
  });

  it("continues while events arrive, but not for comments or parts of an event", async () => {
    const line = wire();
    for (let n = 0; n < 5; n++) {
      await vi.advanceTimersByTimeAsync(30_000);
      await line.send(`data: ${n}\n\n`);
    }
    await vi.advanceTimersByTimeAsync(20_000);
    await line.send(": a comment\n\ndata: half");
    await vi.advanceTimersByTimeAsync(19_000);
    expect(line.now().state).toBe("open");
    await vi.advanceTimersByTimeAsync(1_000);
    const { told, state } = line.now();
    expect([state, told.endsWith(LATE), told.includes("half")]).toEqual(["closed", true, false]);
  });

  it("adds nothing to an answer that came", async () => {
    const line = wire();
    await line.send('data: {"id":1,"result":{}}\n\n');
    await line.end();
    await line.closed();
    expect(line.now().told).toBe('data: {"id":1,"result":{}}\n\n');
  });

  it("fails when it ends, unless the client can come back for the rest", async () => {
    const lost = wire();
    await lost.send("data: {}\n\n");
    await lost.end();
    await lost.closed();
    expect(lost.now().told).toBe("data: {}\n\ndata: 1: the server ended the connection without an answer\n\n");
    const resumable = wire();
    await resumable.send("id: 5\ndata: \n\n");
    await resumable.break();
    await resumable.closed();
    expect(resumable.now()).toEqual({ told: "id: 5\ndata: \n\n", state: "closed" });
  });

  it("fails at an event without end", async () => {
    const line = wire();
    await line.send(`data: ${"x".repeat(UPSTREAM_LIMITS.answerBytes)}`);
    await line.closed();
    expect(line.now().told).toBe("data: 1: the server's answer is too large (limit 8 MiB)\n\n");
  });

  it("fails each of several requests that has no answer", async () => {
    const line = wire({ pending: [1, "b", 3] });
    await line.send('data: {"id":3,"error":{}}\n\n');
    await line.end();
    await line.closed();
    const ended = "the server ended the connection without an answer";
    expect(line.now().told).toBe(`data: {"id":3,"error":{}}\n\ndata: 1: ${ended}\n\ndata: b: ${ended}\n\n`);
  });
});

describe("a standing stream", () => {
  it("stays open without end, with keep-alives", async () => {
    const line = wire({ pending: [], firstMs: null, silenceMs: null });
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(line.now()).toEqual({ told: KEEP.repeat(240), state: "open" });
    await line.end();
    await line.closed();
    expect(line.now()).toEqual({ told: KEEP.repeat(240), state: "closed" });
  });

  it("may have a time for its first event only", async () => {
    const options = {
      pending: [],
      firstMs: 5_000,
      silenceMs: null,
      failureEvent: (fault: Error) => `event: error\ndata: ${fault.message}\n\n`,
    };
    const silent = wire(options);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(silent.now()).toEqual({
      told: "event: error\ndata: the server did not respond within 5s\n\n",
      state: "closed",
    });
    const begun = wire(options);
    await begun.send("data: endpoint\n\n");
    await vi.advanceTimersByTimeAsync(600_000);
    expect(begun.now().state).toBe("open");
    await begun.writer.close();
  });
});

it("a stream of comments contains no event, so the gateway sends keep-alives to its client", async () => {
  const line = wire({ pending: [], firstMs: null, silenceMs: null });
  for (let n = 0; n < 10; n++) {
    await vi.advanceTimersByTimeAsync(4_000);
    await line.send(": still here\n\n");
  }
  await vi.advanceTimersByTimeAsync(5_000);
  expect(line.now().told).toBe(KEEP.repeat(3));
});
