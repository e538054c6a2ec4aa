// The rate counters of `npm run serve`.

import { afterEach, expect, it, vi } from "vitest";
import { Counter } from "../../../scripts/serve/worker/counter.js";

afterEach(() => vi.useRealTimers());

it("allows as many requests of a key as the limit in each period, and no more", async () => {
  vi.useFakeTimers();
  const counter = new Counter({ limit: 3, period: 10 });
  const ask = async (key: string) => (await counter.limit({ key })).success;
  expect([await ask("a"), await ask("a"), await ask("a"), await ask("a")]).toEqual([true, true, true, false]);
  expect(await ask("b")).toBe(true);
  vi.advanceTimersByTime(9_999);
  expect(await ask("a")).toBe(false);
  vi.advanceTimersByTime(1);
  expect(await ask("a")).toBe(true);
});

it("keeps a bounded number of keys, and the ones that came last", async () => {
  const counter = new Counter({ limit: 1, period: 3_600 });
  for (let n = 0; n < 100_001; n++) await counter.limit({ key: `${n}` });
  expect((await counter.limit({ key: "0" })).success).toBe(true);
  expect((await counter.limit({ key: "100000" })).success).toBe(false);
});
