// A family of refresh tokens under random histories: honest processes that share credentials, lose responses and arrive late, and
// attackers.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Family, meaningOf } from "../../../src/domain/sign-in/token-family";
import { FamilyModel, GRACE } from "../../support/family-model";

const HOUR = 3_600_000;

/** One process of an MCP host: after a delay it sends the stored token, and sends it again if the response is lost. */
const process = fc.record({ after: fc.integer({ min: 0, max: 76_000 }), lost: fc.integer({ min: 0, max: 3 }) });
const burst = fc.record({
  processes: fc.array(process, { minLength: 1, maxLength: 4 }),
  /** True if the host stops before it stores or uses any of the responses. */
  dies: fc.boolean(),
  pause: fc.integer({ min: HOUR, max: 100 * HOUR }),
});
type Burst = typeof burst extends fc.Arbitrary<infer B> ? B : never;

/** Simulates the actions of a host. `kept` is the token that it sends next. Returns the token that it stores at the end. */
function live(gateway: FamilyModel, kept: number, { processes, dies, pause }: Burst): number | null {
  const start = gateway.now;
  const shows = processes.flatMap(({ after, lost }) =>
    Array.from({ length: lost + 1 }, (_, time) => ({
      at: start + after + time * 30_000,
      isHeard: time === lost && !dies,
    })),
  );
  let next = kept;
  for (const { at, isHeard } of shows.toSorted((a, b) => a.at - b.at)) {
    gateway.now = at;
    const answer = gateway.show(kept);
    if (answer === null) return null;
    if (!isHeard) continue;
    gateway.use(answer);
    next = answer;
  }
  gateway.now += pause;
  return next;
}

describe("a family of refresh tokens", () => {
  it("never throws a host out that repeats as hosts do", () => {
    fc.assert(
      fc.property(fc.array(burst, { maxLength: 12 }), (bursts) => {
        const gateway = new FamilyModel();
        let kept: number | null = 0;
        for (const one of bursts) {
          kept = live(gateway, kept, one);
          if (kept === null) return false;
        }
        return gateway.show(kept) !== null;
      }),
      { numRuns: 2_000 },
    );
  });

  it("rejects a token long after its successor was used, or whose successor was exchanged, for any caller", () => {
    const act = fc.record({
      /** The number of generations since the token was the newest. */
      back: fc.integer({ min: 0, max: 4 }),
      pause: fc.oneof(fc.integer({ min: 0, max: GRACE }), fc.integer({ min: 0, max: 3 * HOUR })),
      uses: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(act, { maxLength: 40 }), (acts) => {
        const gateway = new FamilyModel();
        for (const { back, pause, uses } of acts) {
          gateway.now += pause;
          const shown = Math.max(0, gateway.family.generation - back);
          const exchanged = gateway.exchangedAt[shown];
          const isLate = exchanged !== undefined && gateway.now - exchanged > GRACE;
          const wasUsed = (gateway.usedAt[shown + 1] ?? Number.POSITIVE_INFINITY) < gateway.now;
          const isOld = shown < gateway.family.generation - 1;
          const answer = gateway.show(shown);
          if ((isOld || (isLate && wasUsed)) && !(answer === null && gateway.ended)) return false;
          if (answer !== null && uses) gateway.use(answer);
        }
        return true;
      }),
      { numRuns: 2_000 },
    );
  });

  it("ends with the true host's next refresh when a thief was faster and stays away for the grace", () => {
    fc.assert(
      fc.property(fc.array(burst, { maxLength: 6 }), burst, (before, after) => {
        const gateway = new FamilyModel();
        let kept: number | null = 0;
        for (const one of before) kept = live(gateway, kept ?? 0, one);
        const stolen = gateway.show(kept ?? 0);
        if (stolen !== null) gateway.use(stolen);
        gateway.now += GRACE + 1;
        live(gateway, kept ?? 0, after);
        return gateway.ended && gateway.show(stolen ?? 0) === null;
      }),
      { numRuns: 1_000 },
    );
  });

  it("ends nothing for a token that the gateway has not marked", () => {
    const family: Family = { current: "c", generation: 5, previous: "p", rotatedAt: 0, arrived: 5 };
    expect(meaningOf(family, { hash: "forged", generation: null }, { now: 1, grace: GRACE })).toBe("unknown");
    expect(meaningOf(family, { hash: "of-a-backup", generation: 6 }, { now: 1, grace: GRACE })).toBe("unknown");
    expect(meaningOf(family, { hash: "old", generation: 3 }, { now: 1, grace: GRACE })).toBe("stolen");
  });
});
