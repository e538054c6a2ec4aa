import { expect, it } from "vitest";
import { PACE } from "../../src/domain/limits";
import { type Pace, paced } from "../../src/domain/pace";

it("a conversation takes so many calls in a window, and goes on in the next", () => {
  let pace: Pace = { since: 0, count: 0 };
  const start = 1_000_000;
  for (let n = 0; n < PACE.calls; n++) pace = paced(pace, start + n);
  const last = pace;
  expect(() => paced(last, start + PACE.milliseconds - 1)).toThrow(/go slower/);
  expect(paced(last, start + PACE.milliseconds)).toEqual({ since: start + PACE.milliseconds, count: 1 });
  // A clock that was set back does not lock anybody out.
  expect(paced(last, start - 1)).toEqual({ since: start - 1, count: 1 });
});
