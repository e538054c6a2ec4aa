import { describe, expect, it } from "vitest";
import { cancelCall, clientCallId, type RunningCalls } from "../../../src/services/conversation/running";

function running(...ids: string[]): RunningCalls {
  return new Map(ids.map((id) => [id, new AbortController()]));
}

const aborted = (calls: RunningCalls) => [...calls].flatMap(([id, { signal }]) => (signal.aborted ? [id] : []));
const refused = expect.objectContaining({ reason: "CALL_NOT_FOUND" });

describe("calling off", () => {
  it("finds a call by its own id", () => {
    const calls = running("call_1", "call_2");
    cancelCall(calls, "call_2");
    expect(aborted(calls)).toEqual(["call_2"]);
    expect(() => cancelCall(calls, "call_3")).toThrow(refused);
  });

  it("finds a host's call by the host's request, and distinguishes numbers from texts", () => {
    const ids = [1, "1", 12, '1":', "x"].map((request) => clientCallId(request, "call_a"));
    expect(new Set(ids).size).toBe(5);
    for (const [index, request] of [1, "1", 12, '1":', "x"].entries()) {
      const calls = running(...ids, "call_b");
      cancelCall(calls, { clientRequest: request });
      expect(aborted(calls)).toEqual([ids[index]]);
    }
  });

  it("calls nothing off where two hosts have used one id", () => {
    const calls = running(clientCallId(3, "call_a"), clientCallId(3, "call_b"));
    expect(() => cancelCall(calls, { clientRequest: 3 })).toThrow(refused);
    expect(aborted(calls)).toEqual([]);
  });

  it("omits long ids", () => {
    const long = "x".repeat(1_000);
    const calls = running(clientCallId(long, "call_a"));
    expect([...calls.keys()]).toEqual(["call_a"]);
    expect(() => cancelCall(calls, { clientRequest: long })).toThrow(refused);
  });
});
