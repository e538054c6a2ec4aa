import fc from "fast-check";
import { expect, it } from "vitest";
import { FairMemory } from "../../../src/domain/access/fair-memory";

it("has a size limit, and evicts the oldest values", () => {
  const memory = new FairMemory<number>(100);
  for (let n = 0; n < 10; n++) memory.set(`n${n}`, `owner-${n}`, n, 10);
  memory.set("n0", "owner-0", 0, 10);
  memory.set("more", "other", 10, 10);
  expect([memory.get("n0"), memory.get("n1"), memory.get("n2"), memory.bytes]).toEqual([0, undefined, 2, 100]);
});

it("lets one owner fill half of it, at the cost of its own", () => {
  const memory = new FairMemory<number>(100);
  memory.set("ann", "ann", 1, 10);
  for (let n = 0; n < 1_000; n++) memory.set(`user-${n}`, "service", n, 10);
  expect([memory.get("ann"), memory.get("user-999"), memory.get("user-994"), memory.bytes]).toEqual([
    1,
    999,
    undefined,
    60,
  ]);
});

it("keeps the first owner of a value, so that no user can evict another user's value", () => {
  const memory = new FairMemory<string>(100);
  memory.set("ann", "ann", "by herself", 10);
  memory.set("ann", "service", "by a service", 10);
  for (let n = 0; n < 10; n++) memory.set(`user-${n}`, "service", "", 10);
  expect(memory.get("ann")).toBe("by a service");
});

it("stores no value above an owner's limit", () => {
  const memory = new FairMemory<number>(100);
  memory.set("small", "ann", 1, 10);
  memory.set("large", "ann", 2, 51);
  expect([memory.get("large"), memory.get("small"), memory.bytes]).toEqual([undefined, 1, 10]);
  // The value that it would have replaced is out of date.
  memory.set("small", "ann", 3, 51);
  expect([memory.get("small"), memory.bytes, memory.size]).toEqual([undefined, 0, 0]);
});

it("counts right, whatever is done with it", () => {
  const name = fc.integer({ min: 0, max: 20 }).map(String);
  const act = fc.record({
    name,
    owner: fc.integer({ min: 0, max: 3 }).map(String),
    bytes: fc.nat(60),
    gone: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(act, { maxLength: 200 }), (acts) => {
      const memory = new FairMemory<number>(100);
      const sizes = new Map<string, number>();
      for (const { name: key, owner, bytes, gone } of acts) {
        if (gone) memory.delete(key);
        else memory.set(key, owner, bytes, bytes);
        sizes.set(key, bytes);
        const there = [...sizes.keys()].flatMap((one) => memory.get(one) ?? []);
        expect(memory.bytes).toBe(there.reduce((sum, size) => sum + size, 0));
        expect(memory.bytes).toBeLessThanOrEqual(100);
        expect(memory.size).toBe(there.length);
      }
      memory.clear();
      expect([memory.bytes, memory.size]).toEqual([0, 0]);
    }),
  );
});
