import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { decodeCursor, encodeCursor } from "../../src/domain/cursor";
import { makeId } from "../../src/domain/id";

describe("cursor", () => {
  const schema = z.object({ createdAt: z.number(), id: z.string() });

  it("comes back as it went, in characters that need no escape in a URL", () => {
    fc.assert(
      fc.property(fc.record({ createdAt: fc.nat(), id: fc.string({ unit: "grapheme" }) }), (value) => {
        const cursor = encodeCursor(value);
        expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(decodeCursor(cursor, schema)).toEqual(value);
      }),
    );
    expect(decodeCursor(undefined, schema)).toBeNull();
  });

  it.each([
    "",
    "x",
    "%%%",
    "e30",
    encodeCursor({ createdAt: "1", id: "a" }),
    `${encodeCursor({ createdAt: 1, id: "a" })}A`,
    "_w",
  ])("refuses %j as a bad request", (cursor) => {
    expect(() => decodeCursor(cursor, schema)).toThrow(
      expect.objectContaining({
        code: "invalid",
        details: { issues: [expect.objectContaining({ code: "INVALID_CURSOR", path: "cursor" })] },
      }),
    );
  });
});

describe("makeId", () => {
  it("is a prefix, ten digits of time and sixteen of chance", () => {
    expect(makeId("skl", 0, new Uint8Array(10))).toBe(`skl_${"0".repeat(26)}`);
    expect(makeId("skl", 0, new Uint8Array(10).fill(255))).toBe(`skl_${"0".repeat(10)}${"Z".repeat(16)}`);
    expect(makeId("ver", 33, Uint8Array.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 1]))).toBe(`ver_0000000011${"0".repeat(15)}1`);
  });

  it("sorts by time and differs with every bit of chance", () => {
    const chance = fc.uint8Array({ minLength: 10, maxLength: 10 });
    const time = fc.integer({ min: 0, max: 2 ** 47 });
    fc.assert(
      fc.property(time, time, chance, chance, (one, other, a, b) => {
        const [left, right] = [makeId("x", one, a), makeId("x", other, b)];
        if (one !== other) expect(left < right).toBe(one < other);
        else expect(left === right).toBe(a.join() === b.join());
      }),
    );
  });
});
