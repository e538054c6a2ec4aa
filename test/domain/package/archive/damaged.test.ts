// Damaged archives, against a reader that is strict.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readArchive } from "../../../../src/domain/package/archive";
import { ARCHIVES } from "../../../support/archives";
import { join, SKILL, zipOf } from "../../../support/zip";
import { expectSameAsStrictReader, note } from "./read";

describe("damaged archives", () => {
  const originals = [
    ...Object.values(ARCHIVES).map((base64) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))),
    zipOf([SKILL, { ...note, method: 8, descriptor: true }, { name: "demo/docs/" }]),
    zipOf([SKILL, note], { zip64: true }),
  ];
  const original = fc.nat(originals.length - 1).map((index) => originals[index]!);
  const place = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
  /** Changes of single header bits, which can produce another valid archive. */
  const mutation = fc.oneof(
    {
      weight: 12,
      arbitrary: fc.record({
        kind: fc.constant("header" as const),
        at: place,
        byte: fc.integer({ min: 4, max: 45 }),
        bit: fc.nat(7),
      }),
    },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant("flip" as const), at: place, bit: fc.nat(7) }) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant("set" as const),
        at: place,
        value: fc.constantFrom(0, 1, 8, 0x2f, 0x7f, 0xff),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("cut" as const), at: place, length: fc.nat(64) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("truncate" as const), at: place }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant("splice" as const),
        from: place,
        at: place,
        length: fc.integer({ min: 1, max: 120 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("duplicate" as const), at: place }) },
  );
  type Mutation = typeof mutation extends fc.Arbitrary<infer T> ? T : never;

  function apply(bytes: Uint8Array, change: Mutation): Uint8Array {
    const at = Math.floor(change.at * bytes.length);
    const copy = bytes.slice();
    if (change.kind === "header") {
      const headers = headersOf(bytes);
      const start = headers[Math.floor(change.at * headers.length)] ?? 0;
      if (start + change.byte < copy.length) copy[start + change.byte]! ^= 1 << change.bit;
    }
    if (change.kind === "flip") copy[at]! ^= 1 << change.bit;
    if (change.kind === "set") copy[at] = change.value;
    if (change.kind === "truncate") return copy.slice(0, at);
    if (change.kind === "cut") return join([copy.slice(0, at), copy.slice(at + change.length)]);
    if (change.kind === "splice") {
      const from = Math.floor(change.from * bytes.length);
      return join([copy.slice(0, at), copy.slice(from, from + change.length), copy.slice(at)]);
    }
    if (change.kind === "duplicate") return duplicateEntry(copy, change.at);
    return copy;
  }

  it("never crash the reader, and accepted ones equal the result of a strict reader", async () => {
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(
        original,
        fc.array(mutation, { minLength: 1, maxLength: 3, size: "small" }),
        async (bytes, changes) => {
          const damaged = changes.reduce(apply, bytes);
          const { entries, issues } = readArchive(damaged);
          if (issues.length > 0) return;
          accepted++;
          await expectSameAsStrictReader(damaged, entries);
        },
      ),
      { numRuns: 8_000 },
    );
    // Changed times, owners and versions do no harm, so some archives must be accepted. This proves that the comparison above ran.
    expect(accepted).toBeGreaterThan(100);
  });

  it("of arbitrary bytes never crash the reader", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => readArchive(bytes).issues.length > 0));
  });
});

/** Returns the offsets of records: every position with `PK`. */
function headersOf(bytes: Uint8Array): number[] {
  const found: number[] = [];
  for (let at = 0; at + 4 <= bytes.length; at++) if (bytes[at] === 0x50 && bytes[at + 1] === 0x4b) found.push(at);
  return found;
}

/** Lists one entry of the central directory twice and adjusts the entry count. */
function duplicateEntry(bytes: Uint8Array, which: number): Uint8Array {
  const view = new DataView(bytes.buffer);
  const starts = headersOf(bytes).filter((at) => view.getUint32(at, true) === 0x02014b50 && at + 46 < bytes.length);
  const start = starts[Math.floor(which * starts.length)];
  if (start === undefined) return bytes;
  const end = start + 46 + view.getUint16(start + 28, true) + view.getUint16(start + 30, true);
  const copy = join([bytes.slice(0, end), bytes.slice(start, end), bytes.slice(end)]);
  const changed = new DataView(copy.buffer);
  const at = copy.length - 22;
  changed.setUint16(at + 8, changed.getUint16(at + 8, true) + 1, true);
  changed.setUint16(at + 10, changed.getUint16(at + 10, true) + 1, true);
  changed.setUint32(at + 12, changed.getUint32(at + 12, true) + end - start, true);
  return copy;
}
