// The queue of spans: a collector that is down, asks to wait, refuses or redirects costs nothing but its spans.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type FinishedSpan, TRACE_LIMITS } from "../../src/domain/telemetry/span";
import { exportSpan, resetTraces, sendSpans, type TraceSink } from "../../src/services/telemetry/outbox";

const URL_OF_COLLECTOR = "http://127.0.0.1:4318/v1/traces";
const span: FinishedSpan = {
  context: { traceId: "a".repeat(32), spanId: "b".repeat(16), sampled: true, state: "" },
  ...{ parent: null, name: "chat m", kind: "client", start: 1, end: 2, user: "ann", attributes: {}, error: null },
};

let now = 1_000_000;
let counted: Record<string, number> = {};
let work: Promise<void>[] = [];
const sink: TraceSink = {
  url: URL_OF_COLLECTOR,
  headers: { authorization: "Bearer secret" },
  resource: { "service.name": "test" },
  later: (one) => void work.push(one),
  waitMs: 0,
  now: () => now,
  count: (_, [outcome = ""], by = 1) => {
    counted[outcome] = (counted[outcome] ?? 0) + by;
  },
};

function collector(...answers: (() => Response | Promise<Response>)[]) {
  return vi
    .spyOn(globalThis, "fetch")
    .mockImplementation(async () => (answers.shift() ?? (() => new Response("{}")))());
}

const down = () => Promise.reject(new TypeError("connection refused"));
const status =
  (code: number, headers: Record<string, string> = {}) =>
  () =>
    new Response(null, { status: code, headers });

async function settled(): Promise<void> {
  while (work.length > 0) await Promise.all(work.splice(0));
}

beforeEach(() => {
  resetTraces();
  now = 1_000_000;
  counted = {};
  work = [];
});
afterEach(() => {
  vi.restoreAllMocks();
  resetTraces();
});

describe("the queue of spans", () => {
  it("sends in batches, without redirects, with the collector's headers", async () => {
    const sent = collector();
    for (let n = 0; n < 600; n++) exportSpan(sink, span);
    await settled();
    await sendSpans(sink);
    expect(counted).toEqual({ exported: 600 });
    const sizes = sent.mock.calls.map(
      ([, init]) => JSON.parse(String(init?.body)).resourceSpans[0].scopeSpans[0].spans.length,
    );
    expect(Math.max(...sizes)).toBeLessThanOrEqual(TRACE_LIMITS.batch);
    const [url, init] = sent.mock.calls[0] ?? [];
    const headers = new Headers(init?.headers);
    expect([String(url), init?.redirect, headers.get("authorization"), headers.get("content-type")]).toEqual([
      ...[URL_OF_COLLECTOR, "manual", "Bearer secret", "application/json"],
    ]);
  });

  it("does not follow a redirect, also not within the origin", async () => {
    const sent = collector(status(307, { location: "/v1/other" }));
    exportSpan(sink, span);
    await settled();
    expect([sent.mock.calls.length, counted]).toEqual([1, { rejected: 1 }]);
  });

  it("is bounded while the collector is down, and counts what it drops", async () => {
    const sent = collector(down);
    exportSpan(sink, span);
    await settled();
    expect(sent).toHaveBeenCalledTimes(1);
    for (let n = 0; n < 10_000; n++) exportSpan(sink, span);
    await settled();
    // Until the back-off has passed, the collector is not asked at all.
    expect(sent).toHaveBeenCalledTimes(1);
    expect(counted).toEqual({ dropped: 10_000 - (TRACE_LIMITS.queue - 1) });
    now += 1_000;
    await sendSpans(sink);
    expect(counted.exported).toBe(TRACE_LIMITS.queue);
  });

  it("waits longer after each failure", async () => {
    const sent = collector(...Array.from({ length: 4 }, () => down));
    exportSpan(sink, span);
    await settled();
    for (const [wait, calls] of [
      [999, 1],
      [1, 2],
      [1_999, 2],
      [1, 3],
      [3_999, 3],
      [1, 4],
      [8_000, 5],
    ] as const) {
      now += wait;
      await sendSpans(sink);
      expect([wait, sent.mock.calls.length]).toEqual([wait, calls]);
    }
    expect(counted).toEqual({ exported: 1 });
  });

  it("waits as long as a busy collector asks", async () => {
    const sent = collector(status(429, { "retry-after": "30" }));
    exportSpan(sink, span);
    await settled();
    now += 29_999;
    await sendSpans(sink);
    expect(sent).toHaveBeenCalledTimes(1);
    now += 1;
    await sendSpans(sink);
    expect([sent.mock.calls.length, counted]).toEqual([2, { exported: 1 }]);
  });

  it.each([400, 401, 404, 413, 500])("drops what the collector refuses with %i, and goes on", async (code) => {
    const sent = collector(status(code));
    exportSpan(sink, span);
    await settled();
    exportSpan(sink, span);
    await settled();
    expect([sent.mock.calls.length, counted]).toEqual([2, { rejected: 1, exported: 1 }]);
  });

  it("counts spans that the collector rejects although it accepts the request", async () => {
    collector(() => Response.json({ partialSuccess: { rejectedSpans: "1" } }));
    exportSpan(sink, span);
    exportSpan(sink, span);
    await settled();
    expect(counted).toEqual({ rejected: 1, exported: 1 });
  });

  it("accepts an answer that is not JSON, and does not send it again", async () => {
    const sent = collector(() => new Response("<html>"));
    exportSpan(sink, span);
    await settled();
    expect([sent.mock.calls.length, counted]).toEqual([1, { exported: 1 }]);
  });

  it("writes nothing about the collector to the log", async () => {
    const logs = (["log", "warn", "error", "info"] as const).map((name) => vi.spyOn(console, name));
    collector(down, status(401), status(503));
    for (let n = 0; n < 3; n++) {
      now += 400_000;
      exportSpan(sink, span);
      await settled();
    }
    expect(logs.flatMap(({ mock }) => mock.calls)).toEqual([]);
  });
});
