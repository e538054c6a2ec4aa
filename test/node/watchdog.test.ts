import { describe, expect, it } from "vitest";
import { isStuck } from "../../scripts/local/watchdog.mjs";

describe("a runtime that does not answer", () => {
  it.each([
    ["loops", { ran: 4_000, waited: 0 }, 4_000, true],
    ["loops on a busy machine", { ran: 4_000, waited: 26_000 }, 30_000, true],
    ["compiles", { ran: 3_500, waited: 0 }, 3_500, false],
    ["waits for a core", { ran: 1_000, waited: 59_000 }, 60_000, false],
    ["is stopped or deadlocked", { ran: 10, waited: 10 }, 15_000, true],
    ["waits for a disk", { ran: 10, waited: 10 }, 10_000, false],
  ])("%s", (_, { ran, waited }, ms, expected) => {
    expect(isStuck({ ran: 70, waited: 30 }, { ran: 70 + ran, waited: 30 + waited }, ms)).toBe(expected);
  });

  it("is judged by the time where the system reports no usage", () => {
    expect(isStuck(null, null, 14_750)).toBe(false);
    expect(isStuck(null, null, 15_000)).toBe(true);
  });
});
