import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mayMean } from "../../../src/domain/servers/escape-starts";
import { readings } from "../../../src/domain/servers/spelling";
import { ENCODERS } from "../../support/spellings";

const pieces = [
  ..."\\\\%%&&+#;x0u1U2{}5cC3bfnrt",
  "25",
  "26",
  "5c",
  "amp;",
  "#38;",
  "#x",
  "u00",
  "%c3%bc",
  "ü",
  "ã¼",
  "\\u",
  "ud83d",
  "😀",
  "lt;",
];
const soup = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(""));
const char = fc.constantFrom(...'a0"/\\&<>+=%ä😀;#u \n\t\b~é你');
const encoder = fc.constantFrom(...Object.values(ENCODERS));

describe("the pattern of where escapes may begin", () => {
  it("misses no place where an escape means the character", () => {
    const written = fc.tuple(char, encoder, encoder, encoder).map(([one, a, b, c]) => c(b(a(one))));
    fc.assert(
      fc.property(fc.oneof(soup, written), (text) => {
        for (const { code, end } of readings(text, 0, { left: 1e6 })) {
          // The character by itself is found without a pattern.
          if (end === String.fromCodePoint(code).length && text.codePointAt(0) === code) continue;
          expect({ text, code, found: mayMean(code, text, 0) }).toEqual({ text, code, found: true });
        }
      }),
      { numRuns: 20_000 },
    );
  });
});
