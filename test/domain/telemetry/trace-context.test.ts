// W3C trace context: what is accepted, what is passed on, and which traces are sampled.

import { describe, expect, it } from "vitest";
import { isSampledAt, readTraceContext, traceFields } from "../../../src/domain/telemetry/trace-context";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";
const PARENT = `00-${TRACE}-${SPAN}-01`;

describe("a traceparent", () => {
  it("is read and written unchanged", () => {
    const read = readTraceContext(PARENT, "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE");
    expect(read).toEqual({
      traceId: TRACE,
      spanId: SPAN,
      sampled: true,
      state: "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE",
    });
    expect(read && traceFields(read)).toEqual({
      traceparent: PARENT,
      tracestate: "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE",
    });
    const unsampled = readTraceContext(`00-${TRACE}-${SPAN}-02`);
    expect([unsampled?.sampled, unsampled && traceFields(unsampled)]).toEqual([
      false,
      { traceparent: `00-${TRACE}-${SPAN}-00` },
    ]);
  });

  it("of a later version can be longer, one of version 00 cannot", () => {
    expect(readTraceContext(`01-${TRACE}-${SPAN}-01-what-the-future-will-be`)?.traceId).toBe(TRACE);
    expect(readTraceContext(`${PARENT}-more`)).toBeNull();
    expect(readTraceContext(`01-${TRACE}-${SPAN}-01x`)).toBeNull();
  });

  it.each([
    ["nothing", undefined],
    ["no text", 7],
    ["empty", ""],
    ["zero trace", `00-${"0".repeat(32)}-${SPAN}-01`],
    ["zero span", `00-${TRACE}-${"0".repeat(16)}-01`],
    ["version ff", `ff-${TRACE}-${SPAN}-01`],
    ["capitals", PARENT.toUpperCase()],
    ["short", `00-${TRACE.slice(1)}-${SPAN}-01`],
    ["injection", `${PARENT}\r\nauthorization: Bearer x`],
    ["two headers", `${PARENT}, ${PARENT}`],
    ["long", `01-${TRACE}-${SPAN}-01-${"a".repeat(100_000)}`],
  ])("is ignored: %s", (_, parent) => {
    expect(readTraceContext(parent)).toBeNull();
  });
});

describe("a tracestate", () => {
  it.each([
    ["line break", "a=b\r\nx: y"],
    ["no value", "a"],
    ["capital key", "A=b"],
    ["same key twice", "a=1,a=2"],
    ["too many members", Array.from({ length: 33 }, (_, n) => `k${n}=v`).join(",")],
    ["too long", `a=${"b".repeat(600)}`],
    ["not ASCII", "a=ü"],
    ["no text", 5],
  ])("is dropped alone: %s", (_, state) => {
    expect(readTraceContext(PARENT, state)).toMatchObject({ traceId: TRACE, state: "" });
  });

  it("keeps vendors and spaces", () => {
    expect(readTraceContext(PARENT, " fw529a3039@dt=FfAe,, a=b ")?.state).toBe("fw529a3039@dt=FfAe,a=b");
  });
});

describe("sampling", () => {
  it("takes all, none, or the ratio of random traces", () => {
    const ids = Array.from({ length: 4_000 }, (_, n) => {
      // A generator with a fixed seed: the last 56 bits of a trace id decide.
      const bits = (BigInt(n + 1) * 0x9e3779b97f4a7c15n) & 0xffffffffffffffffn;
      return `${"a".repeat(16)}${bits.toString(16).padStart(16, "0")}`;
    });
    const share = (ratio: number) => ids.filter((id) => isSampledAt(id, ratio)).length / ids.length;
    expect([share(0), share(1)]).toEqual([0, 1]);
    expect(share(0.25)).toBeGreaterThan(0.22);
    expect(share(0.25)).toBeLessThan(0.28);
  });

  it("takes with a higher ratio all that it takes with a lower one", () => {
    const id = `${"0".repeat(18)}${"c".repeat(14)}`;
    expect([0.1, 0.19, 0.21, 0.9].map((ratio) => isSampledAt(id, ratio))).toEqual([false, false, true, true]);
  });
});
