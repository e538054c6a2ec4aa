// The words of a text: ASCII texts are split by a faster rule, which gives the same.

import fc from "fast-check";
import { expect, it } from "vitest";
import { runsOf } from "../../../src/domain/catalog/search-words";

it("splits an ASCII text as it splits the same text beside other characters", () => {
  const ascii = fc.string({ unit: "grapheme-ascii", maxLength: 200 });
  fc.assert(
    fc.property(ascii, (text) => {
      expect([...runsOf(text), "é"]).toEqual(runsOf(`${text} é`));
    }),
  );
});
