import { describe, expect, it } from "vitest";
import { dueLook, isWorse, moreFailures, type Outcomes } from "../../../src/domain/insights/comparison";

/** Mulberry32: the same numbers in every run. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Compares two versions after each pair of uses, as the gateway does at most. Returns after how many uses the candidate is reported. */
function reportedAfter(former: number, candidate: number, most: number, random: () => number): number | null {
  const outcomes = { former: { uses: 0, failures: 0 }, candidate: { uses: 0, failures: 0 } };
  let looks = 0;
  const use = (of: Outcomes, rate: number) => {
    of.uses++;
    if (random() < rate) of.failures++;
  };
  for (let uses = 1; uses <= most; uses++) {
    use(outcomes.former, former);
    use(outcomes.candidate, candidate);
    const look = dueLook(looks, outcomes.candidate, outcomes.former);
    if (look === null) continue;
    looks = look;
    if (isWorse(look, outcomes.candidate, outcomes.former)) return uses;
  }
  return null;
}

describe("the probability of as many failures", () => {
  it.each([
    // R: fisher.test(matrix(c(…), 2), alternative = "greater")$p.value
    [{ uses: 10, failures: 8 }, { uses: 10, failures: 2 }, 0.01150647],
    [{ uses: 30, failures: 12 }, { uses: 30, failures: 2 }, 0.002348],
    [{ uses: 30, failures: 0 }, { uses: 30, failures: 0 }, 1],
  ])("of %j against %j is %d", (candidate, former, expected) => {
    expect(moreFailures(candidate, former)).toBeCloseTo(expected, 4);
  });

  it("is bounded in time for large numbers", () => {
    const start = performance.now();
    expect(moreFailures({ uses: 5_000_000, failures: 500_000 }, { uses: 5_000_000, failures: 400_000 })).toBeLessThan(
      0.001,
    );
    expect(performance.now() - start).toBeLessThan(1_000);
  });
});

describe("comparisons of versions", () => {
  it("begin with thirty uses of each, and then after twice as many", () => {
    const of = (uses: number): Outcomes => ({ uses, failures: 0 });
    expect(dueLook(0, of(29), of(500))).toBeNull();
    expect(dueLook(0, of(500), of(29))).toBeNull();
    expect(dueLook(0, of(30), of(30))).toBe(1);
    expect(dueLook(1, of(59), of(500))).toBeNull();
    expect(dueLook(1, of(60), of(500))).toBe(2);
    // Thresholds that were passed between two runs are one comparison.
    expect(dueLook(0, of(250), of(500))).toBe(4);
  });

  it.each([0.01, 0.05, 0.2, 0.5])("report at most 1 % of 1,000 harmless versions that fail at a rate of %d", (rate) => {
    const random = randomOf(Math.round(rate * 1_000));
    const alarms = Array.from({ length: 1_000 }, () => reportedAfter(rate, rate, 2_000, random)).filter(
      (n) => n !== null,
    );
    expect(alarms.length).toBeLessThanOrEqual(10);
  });

  it.each([
    [0.05, 0.5, 60],
    [0.05, 0.3, 120],
    [0.1, 0.3, 240],
    [0.05, 0.15, 480],
  ])(
    "report a version that fails at %d instead of %d within %d uses, in 90 % of 300 cases",
    (former, candidate, uses) => {
      const random = randomOf(uses);
      const found = Array.from({ length: 300 }, () => reportedAfter(former, candidate, uses, random));
      expect(found.filter((n) => n !== null).length).toBeGreaterThanOrEqual(270);
    },
  );
});
