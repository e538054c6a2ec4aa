// The circuit breaker as a value, over time.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BREAKER } from "../../../src/domain/limits";
import {
  afterFailure,
  type Breaker,
  breakerSchema,
  breakerState,
  CLOSED,
  openReason,
  trying,
} from "../../../src/domain/servers/breaker";

function failedTimes(times: number, now = 0): Breaker {
  let breaker = CLOSED;
  for (let time = 0; time < times; time++) breaker = afterFailure(breaker, now, "it broke");
  return breaker;
}

describe("the breaker", () => {
  it("opens after so many failures in a row and not before", () => {
    expect(breakerState(failedTimes(BREAKER.failures - 1), 0)).toBe("closed");
    expect(breakerState(failedTimes(BREAKER.failures), 0)).toBe("open");
  });

  it("lets one try after the cool-down, and opens again when that fails", () => {
    const open = failedTimes(BREAKER.failures);
    expect(breakerState(open, BREAKER.coolDown - 1)).toBe("open");
    expect(breakerState(open, BREAKER.coolDown)).toBe("trial");
    const trial = trying(open, BREAKER.coolDown);
    expect(breakerState(trial, BREAKER.coolDown)).toBe("open");
    expect(breakerState(trial, 2 * BREAKER.coolDown)).toBe("trial");
    expect(breakerState(afterFailure(trial, BREAKER.coolDown + 5, "again"), BREAKER.coolDown + 6)).toBe("open");
  });

  it("reports the remaining time and the reason", () => {
    expect(openReason(failedTimes(5), 10_000)).toBe(
      "the server failed 5 times in a row and is not retried for another 20s; the last error: it broke",
    );
  });

  it("is plain data, and never open without enough failures", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constant("ok"), fc.constant("fail"), fc.constant("wait")), { maxLength: 40 }),
        (steps) => {
          let now = 0;
          let row = 0;
          let breaker = CLOSED;
          for (const step of steps) {
            if (step === "wait") now += BREAKER.coolDown;
            else if (step === "ok") [breaker, row] = [CLOSED, 0];
            else [breaker, row] = [afterFailure(breaker, now, "x"), row + 1];
            expect(breakerSchema.parse(JSON.parse(JSON.stringify(breaker)))).toEqual(breaker);
            expect(breakerState(breaker, now) === "closed").toBe(row < BREAKER.failures);
          }
        },
      ),
    );
  });
});
