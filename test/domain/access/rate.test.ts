import { expect, it } from "vitest";
import { type Pace, paced } from "../../../src/domain/access/rate";
import { PACE } from "../../../src/domain/limits";

it("a conversation has a limit of calls per window", () => {
  let pace: Pace = { since: 0, count: 0 };
  const start = 1_000_000;
  for (let n = 0; n < PACE.requests; n++) pace = paced(pace, start + n);
  const last = pace;
  expect(() => paced(last, start + PACE.seconds * 1_000 - 1)).toThrow(/fewer requests/);
  const wait = () => paced(last, start + PACE.seconds * 1_000 - 2_500);
  expect(wait).toThrow(expect.objectContaining({ details: expect.objectContaining({ retry_after_s: 3 }) }));
  expect(paced(last, start + PACE.seconds * 1_000)).toEqual({ since: start + PACE.seconds * 1_000, count: 1 });
  // Setting the clock back does not block a caller.
  expect(paced(last, start - 1)).toEqual({ since: start - 1, count: 1 });
});
