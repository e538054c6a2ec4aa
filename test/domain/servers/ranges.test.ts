// Ranges of long results: joined in order they equal the whole text, from any starting point.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { charactersIn, RANGE_MARGIN, readResultUri, resultUri } from "../../../src/domain/servers/library/ranges";

describe("ranges of a text", () => {
  it("are the whole text one after the other, however wide they are", () => {
    const texts = fc.string({ unit: "binary", maxLength: 60 }).map((text) => text.toWellFormed());
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 9 }), (text, limit) => {
        const bytes = new TextEncoder().encode(text);
        const decode = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
        let whole = "";
        for (let at = 0; at < bytes.length; at += limit)
          whole += decode.decode(charactersIn(bytes.subarray(at, at + limit + RANGE_MARGIN), limit));
        expect(whole).toBe(text);
      }),
    );
  });

  it("have addresses that name them, and no others", () => {
    const range = { file: `fil_${"a".repeat(32)}`, offset: 7, limit: 9 };
    expect(readResultUri(resultUri(range))).toEqual(range);
    expect(readResultUri(`${resultUri(range)}&x=1`)).toBeNull();
    expect(readResultUri("result:fil_a")).toBeNull();
  });
});
