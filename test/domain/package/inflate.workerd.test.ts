import * as fc from "fast-check";
import { deflateSync } from "fflate";
import { describe, expect, it } from "vitest";
import { inflate } from "../../../src/domain/package/inflate";
import { bytesOf, join } from "../../support/zip";

const LIMIT = 1 << 20;

/** workerd's DecompressionStream is zlib, and refuses trailing bytes. */
async function zlib(stream: Uint8Array): Promise<Uint8Array | null> {
  try {
    const source = new Response(stream).body!.pipeThrough(new DecompressionStream("deflate-raw"));
    return new Uint8Array(await new Response(source).arrayBuffer());
  } catch {
    return null;
  }
}

/** A dynamic block with code lengths 0 to 2 for literals, `distances` zero or one-bit distance codes, and raw bits behind. */
function dynamicBlock(literals: Record<number, 1 | 2>, distances: readonly (0 | 1)[], data: string): Uint8Array {
  const number = (value: number, bits: number) =>
    Array.from({ length: bits }, (_, bit) => (value >>> bit) & 1).join("");
  // The code of code lengths: 0 is `0`, 1 is `10`, 2 is `11`.
  const order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
  const lengths: Record<number, number> = { 0: 1, 1: 2, 2: 2 };
  const all = [...Array.from({ length: 257 }, (_, symbol) => literals[symbol] ?? 0), ...distances];
  const bits = [
    number(1, 1),
    number(2, 2),
    number(0, 5),
    number(distances.length - 1, 5),
    number(15, 4),
    ...order.map((symbol) => number(lengths[symbol] ?? 0, 3)),
    ...all.map((length) => ["0", "10", "11"][length]),
    data,
  ].join("");
  return bytesOfBits(bits);
}

/** Bits in the order in which they are read. */
function bytesOfBits(bits: string): Uint8Array {
  return Uint8Array.from(bits.match(/.{1,8}/g) ?? [], (byte) => Number.parseInt([...byte].reverse().join(""), 2));
}

/** A fixed block: `a`, then more than 32 KiB of copies of it, then a copy with an invalid distance or length code. */
function fixedBlock(impossible: string): Uint8Array {
  return bytesOfBits(`110${"10010001"}${"1100010100000".repeat(140)}${impossible}0000000`);
}

describe("inflate agrees with zlib", () => {
  it("on damaged streams: the same bytes, or both refuse", async () => {
    let accepted = 0;
    const data = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.string({ maxLength: 300 }).map(bytesOf),
      fc.array(fc.constantFrom(97, 98), { maxLength: 900 }).map((bytes) => Uint8Array.from(bytes)),
    );
    const flips = fc.array(fc.tuple(fc.nat(60), fc.nat(7)), { maxLength: 2 });
    await fc.assert(
      fc.asyncProperty(data, fc.constantFrom(0, 1, 6, 9), flips, fc.boolean(), async (bytes, level, changes, extra) => {
        const stream = join([deflateSync(bytes, { level }), new Uint8Array(extra ? 1 : 0)]);
        for (const [at, bit] of changes) if (at < stream.length) stream[at]! ^= 1 << bit;
        const ours = inflate(stream, LIMIT);
        const complete = typeof ours !== "string" && ours.consumed === stream.length;
        expect(complete ? ours.bytes : null).toEqual(await zlib(stream));
        if (complete) accepted++;
      }),
      { numRuns: 1500 },
    );
    expect(accepted).toBeGreaterThan(200);
  });

  it.each<[string, Uint8Array, string | null]>([
    ["a literal and the end", dynamicBlock({ 97: 1, 256: 1 }, [0], "01"), "a"],
    ["nothing but the end, in a code of one symbol", dynamicBlock({ 256: 1 }, [0], "0"), ""],
    ["a single distance code", dynamicBlock({ 97: 1, 256: 1 }, [1], "01"), "a"],
    ["30 distance codes", dynamicBlock({ 97: 1, 256: 1 }, Array(30).fill(0), "01"), "a"],
    ["31 distance codes", dynamicBlock({ 97: 1, 256: 1 }, Array(31).fill(0), "01"), null],
    ["a code that is no symbol's", dynamicBlock({ 256: 1 }, [0], "1"), null],
    ["a block that cannot end", dynamicBlock({ 97: 1, 98: 1 }, [0], "01".repeat(40)), null],
    ["more codes than there are", dynamicBlock({ 97: 1, 98: 1, 256: 1 }, [0], "0101"), null],
    ["more distance codes than there are", dynamicBlock({ 97: 1, 256: 1 }, [1, 1, 1], "01"), null],
    ["fewer codes than there are", dynamicBlock({ 97: 2, 98: 2, 256: 2 }, [0], "000110"), null],
    ["a block without impossible codes", fixedBlock(""), "a".repeat(1 + 140 * 258)],
    ["distance code 30", fixedBlock(`000000111110${"0".repeat(14)}`), null],
    ["length code 286", fixedBlock("1100011000000"), null],
    ["a reserved type", Uint8Array.of(7, 0, 0), null],
    ["nothing", new Uint8Array(), null],
  ])("on %s", async (_, stream, text) => {
    const expected = text === null ? null : bytesOf(text);
    const ours = inflate(stream, LIMIT);
    expect(typeof ours === "string" ? null : ours.bytes).toEqual(expected);
    expect(await zlib(stream)).toEqual(expected);
  });
});

describe("inflate", () => {
  it("refuses a stream cut anywhere", () => {
    for (const level of [0, 1, 9] as const) {
      const stream = deflateSync(bytesOf("to be or not to be, that is the question ".repeat(3)), { level });
      for (let length = 0; length < stream.length; length++)
        expect(inflate(stream.slice(0, length), LIMIT)).toBe("broken");
    }
  });

  it("stops at the limit", () => {
    const bomb = deflateSync(new Uint8Array(8 * LIMIT));
    expect(inflate(bomb, 1000)).toBe("too_long");
    expect(inflate(bomb, 8 * LIMIT - 1)).toBe("too_long");
    expect(inflate(bomb, 8 * LIMIT)).toMatchObject({ bytes: { length: 8 * LIMIT }, consumed: bomb.length });
    expect(inflate(deflateSync(bytesOf("stored"), { level: 0 }), 5)).toBe("too_long");
  });

  it("returns the end of the stream", () => {
    const stream = deflateSync(bytesOf("hello"));
    expect(inflate(join([stream, bytesOf("more")]), LIMIT)).toEqual({
      bytes: bytesOf("hello"),
      consumed: stream.length,
    });
  });
});
