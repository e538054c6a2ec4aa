import fc from "fast-check";
import { expect, it } from "vitest";
import {
  countsDuringOutage,
  freshnessOf,
  type Since,
  supersedes,
  type Timestamped,
  type Wanted,
} from "../../../src/domain/access/freshness";

const asOf = fc.integer({ min: 0, max: 5 }).map((position) => `0000000${position}`);
const time = fc.integer({ min: 0, max: 90_000 });
const dated: fc.Arbitrary<Timestamped> = fc.record({ asOf, began: time, byPrimary: fc.boolean() });
const since: fc.Arbitrary<Since> = fc.record({ renewing: fc.option(time), failed: fc.option(time) });
const wanted: fc.Arbitrary<Wanted> = fc.record({
  now: time,
  mark: fc.oneof(fc.constant(""), asOf),
  least: fc.oneof(fc.constant(""), asOf),
  longest: fc.integer({ min: 0, max: 60 }).map((seconds) => seconds * 1_000),
});

const read: Timestamped = { asOf: "00000003", began: 10_000, byPrimary: true };
const quiet: Since = { renewing: null, failed: null };
const at = (now: number, more: Partial<Wanted> = {}): Wanted => ({
  now,
  mark: "",
  least: "",
  longest: 10_000,
  ...more,
});

it("is never valid beyond its age, before an own write, or before what the caller has seen", () => {
  fc.assert(
    fc.property(dated, since, wanted, (known, then, want) => {
      const freshness = freshnessOf(known, then, want);
      if (freshness !== "use" && freshness !== "renew") return;
      expect(want.now - known.began).toBeLessThanOrEqual(want.longest);
      expect(want.now).toBeGreaterThanOrEqual(known.began);
      expect(known.asOf >= want.mark && known.asOf >= want.least).toBe(true);
      expect(then.failed).toBe(null);
      if (!known.byPrimary) expect(want.now - known.began).toBeLessThanOrEqual(2_000);
    }),
  );
});

it("outlives an outage for a minute, and never an own write", () => {
  fc.assert(
    fc.property(dated, since, wanted, (known, then, want) => {
      const goesOn = countsDuringOutage(known, want);
      expect(goesOn).toBe(known.asOf >= want.mark && want.now >= known.began && want.now - known.began <= 60_000);
      if (freshnessOf(known, then, want) !== "ask") expect(goesOn).toBe(true);
    }),
  );
});

it("is renewed at half its age, and right after a replica's answer", () => {
  expect(freshnessOf(read, quiet, at(14_999))).toBe("use");
  expect(freshnessOf(read, quiet, at(15_000))).toBe("renew");
  expect(freshnessOf(read, quiet, at(20_000))).toBe("renew");
  expect(freshnessOf(read, quiet, at(20_001))).toBe("ask");
  expect(freshnessOf({ ...read, byPrimary: false }, quiet, at(10_000))).toBe("renew");
  expect(freshnessOf({ ...read, byPrimary: false }, quiet, at(12_001))).toBe("ask");
});

it("is renewed by one request at a time, and by the next if that one gets no answer", () => {
  expect(freshnessOf(read, { ...quiet, renewing: 15_000 }, at(16_999))).toBe("use");
  expect(freshnessOf(read, { ...quiet, renewing: 15_000 }, at(17_000))).toBe("renew");
});

it("is stale after a failed read, and is read again two seconds later", () => {
  expect(freshnessOf(read, { ...quiet, failed: 15_000 }, at(16_999))).toBe("stale");
  expect(freshnessOf(read, { ...quiet, failed: 15_000 }, at(17_000))).toBe("ask");
  expect(freshnessOf(read, { ...quiet, failed: 70_000 }, at(70_001))).toBe("ask");
});

it("counts for nothing where the memory is to be none", () => {
  expect(freshnessOf(read, quiet, at(10_001, { longest: 0 }))).toBe("ask");
});

it("never gives way to something of an earlier date, and always to something later", () => {
  fc.assert(
    fc.property(dated, dated, (next, known) => {
      if (next.asOf < known.asOf) expect(supersedes(next, known)).toBe(false);
      if (next.asOf > known.asOf) expect(supersedes(next, known)).toBe(true);
      expect(supersedes(known, known)).toBe(true);
    }),
  );
  // Of two reads of the same database state, the later one is fresher.
  expect(supersedes({ ...read, began: 10_001 }, read)).toBe(true);
  expect(supersedes({ ...read, byPrimary: false }, read)).toBe(false);
});
