// The JSON of OTLP: encodings, limits, and what a collector's answer means.

import { describe, expect, it } from "vitest";
import { exportOutcome, exportRequest, rejectedIn, retryDelay } from "../../../src/domain/telemetry/otlp";
import { type FinishedSpan, TRACE_LIMITS, withinLimits } from "../../../src/domain/telemetry/span";
import { otlpProblems, spansIn } from "../../support/otlp";

const context = { traceId: "a".repeat(32), spanId: "b".repeat(16), sampled: true, state: "" };
const span = (change: Partial<FinishedSpan> = {}): FinishedSpan => ({
  ...{ context, parent: null, name: "chat m", kind: "client", start: 1_700_000_000_123, end: 1_700_000_000_456 },
  ...{ user: "ann", attributes: {}, error: null, ...change },
});
const request = (spans: FinishedSpan[], userOf: (user: string) => string | undefined = () => "digest") =>
  JSON.parse(JSON.stringify(exportRequest(spans, { "service.name": "s" }, userOf)));
const received = (change: Partial<FinishedSpan> = {}) => spansIn(request([span(change)]))[0];

describe("an exported span", () => {
  it("is what the protobuf definitions allow, with 64-bit numbers as texts", () => {
    const attributes = { text: "x", flag: false, count: 3, ratio: 0.5, list: ["a", "b"], none: undefined };
    const parent = { spanId: "c".repeat(16), isRemote: true };
    const body = request([span({ attributes, parent, context: { ...context, state: "a=b" }, error: "timeout" })]);
    expect(otlpProblems(body)).toEqual([]);
    expect(body.resourceSpans[0].scopeSpans[0].spans[0]).toEqual({
      ...{ traceId: "a".repeat(32), spanId: "b".repeat(16), parentSpanId: "c".repeat(16), traceState: "a=b" },
      ...{ flags: 0x301, name: "chat m", kind: 3 },
      ...{ startTimeUnixNano: "1700000000123000000", endTimeUnixNano: "1700000000456000000" },
      attributes: [
        { key: "text", value: { stringValue: "x" } },
        { key: "flag", value: { boolValue: false } },
        { key: "count", value: { intValue: "3" } },
        { key: "ratio", value: { doubleValue: 0.5 } },
        { key: "list", value: { arrayValue: { values: [{ stringValue: "a" }, { stringValue: "b" }] } } },
        { key: "user.id", value: { stringValue: "digest" } },
        { key: "error.type", value: { stringValue: "timeout" } },
      ],
      status: { code: 2 },
    });
  });

  it("never ends before it starts", () => {
    expect(received({ end: 5 })?.endTimeUnixNano).toBe("1700000000123000000");
  });

  it("is cut to its limits, without halves of characters", () => {
    const long = `${"x".repeat(TRACE_LIMITS.value - 1)}😀${"y".repeat(1_000_000)}`;
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`k${n}`, long]));
    const cut = withinLimits(span({ name: long, attributes: { ...many } }));
    expect(cut.name).toHaveLength(TRACE_LIMITS.name);
    expect(Object.keys(cut.attributes)).toHaveLength(TRACE_LIMITS.attributes);
    expect(JSON.stringify(cut).length).toBeLessThan(20_000);
    expect(otlpProblems(request([cut]))).toEqual([]);
    const lists = withinLimits(span({ attributes: { list: Array.from({ length: 1_000 }, () => long) } }));
    expect(JSON.stringify(lists).length).toBeLessThan(20_000);
  });
});

describe("the answer of a collector", () => {
  it("is final, except for the four statuses that OTLP retries", () => {
    const statuses = [200, 202, 301, 400, 401, 404, 408, 413, 429, 500, 502, 503, 504];
    expect(Object.fromEntries(statuses.map((status) => [status, exportOutcome(status)]))).toEqual({
      ...{ 200: "accepted", 202: "accepted", 301: "refused", 400: "refused", 401: "refused", 404: "refused" },
      ...{ 408: "refused", 413: "refused", 429: "again", 500: "refused", 502: "again", 503: "again", 504: "again" },
    });
  });

  it("reports rejected spans", () => {
    expect(rejectedIn({ partialSuccess: { rejectedSpans: "3", errorMessage: "x" } }, 10)).toBe(3);
    expect(
      [{}, null, "x", { partialSuccess: {} }, { partialSuccess: { rejectedSpans: "many" } }].map((a) =>
        rejectedIn(a, 5),
      ),
    ).toEqual([0, 0, 0, 0, 0]);
    expect(rejectedIn({ partialSuccess: { rejectedSpans: "99999999999" } }, 5)).toBe(5);
  });

  it("delays the next attempt as asked, otherwise twice as long each time, for at most five minutes", () => {
    const now = Date.parse("2026-11-26T00:00:00Z");
    expect([1, 2, 3, 20].map((failures) => retryDelay(failures, null, now))).toEqual([1_000, 2_000, 4_000, 300_000]);
    expect(retryDelay(1, "7", now)).toBe(7_000);
    expect(retryDelay(1, "Thu, 26 Nov 2026 00:00:30 GMT", now)).toBe(30_000);
    expect(retryDelay(1, "999999999", now)).toBe(300_000);
    expect([retryDelay(1, "0", now), retryDelay(1, "-5", now), retryDelay(1, "soon", now)]).toEqual([
      1_000, 1_000, 1_000,
    ]);
  });
});
