// The choice among the addresses of a server, and how long a failed one is not used.

import { describe, expect, it } from "vitest";
import { chooseInstance, type Ejection, ejectionAfter } from "../../../src/domain/servers/instances";

const THREE = [
  { url: "a", weight: 1 },
  { url: "b", weight: 2 },
  { url: "c", weight: 1 },
];

/** The choices for evenly distributed random numbers. */
function choices(out: Record<string, Ejection> = {}): string {
  return Array.from({ length: 8 }, (_, n) => chooseInstance(THREE, n / 8, (url) => out[url])?.url).join("");
}

const until = (ms: number): Ejection => ({ times: 1, until: ms });

describe("the choice", () => {
  it("follows the weights", () => {
    expect(choices()).toBe("aabbbbcc");
  });

  it("leaves out ejected instances, and keeps the weights of the others", () => {
    expect(choices({ b: until(9) })).toBe("aaaacccc");
    expect(choices({ a: until(9), c: until(9) })).toBe("bbbbbbbb");
  });

  it("is the one that returns first if all are ejected", () => {
    expect(choices({ a: until(9), b: until(8), c: until(7) })).toBe("cccccccc");
  });

  it("is nothing without instances", () => {
    expect(chooseInstance([], 0, () => undefined)).toBeNull();
  });
});

describe("an ejection", () => {
  it("lasts twice as long after each failure, at most five minutes", () => {
    const lasting: number[] = [];
    let now = 0;
    let ejection: Ejection | undefined;
    for (let n = 0; n < 9; n++) {
      ejection = ejectionAfter(ejection, now);
      lasting.push(ejection.until - now);
      now = ejection.until;
    }
    expect(lasting).toEqual([5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000, 300_000]);
  });

  it("is not extended by calls that were in progress", () => {
    const first = ejectionAfter(undefined, 1_000);
    expect(ejectionAfter(first, 2_000)).toBe(first);
  });
});
