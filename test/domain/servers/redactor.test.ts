import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeRedactor } from "../../../src/domain/servers/redactor";
import { cpuTimeOf } from "../../support/cpu-time";
import { ENCODERS } from "../../support/spellings";

const secret = fc.string({ unit: "binary", minLength: 8, maxLength: 60 }).filter((text) => text.isWellFormed());
const around = fc.string({ maxLength: 30 }).filter((text) => text.isWellFormed());

function base64(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(""));
}

const encoder = fc.constantFrom(...Object.values(ENCODERS));
/** Encodings that leave letters and digits unchanged, because other encodings are encoded again. */
const { JSON: asJson, URL: asUrl, form: asForm, HTML: asHtml, ...others } = ENCODERS;
const wrapper = fc.constantFrom(...[asJson, asUrl, asForm, asHtml, others["JSON of PHP"], others["JSON of Go"]]);
/** Typical secrets of servers: tokens, and passwords with every kind of character. */
const sign = fc.constantFrom(...'aZ09 "/\\&<>+=%ä😀;#u-_', "  ", "%2F", "\\n", "&amp;", "\\\\");
const password = fc.array(sign, { minLength: 8, maxLength: 40 }).map((signs) => signs.join(""));

describe("a redactor", () => {
  it("leaves no secret in any of the forms it travels in", () => {
    fc.assert(
      fc.property(
        fc.oneof({ weight: 1, arbitrary: secret }, { weight: 9, arbitrary: password }),
        around,
        around,
        encoder,
        (value, before, after, encode) => {
          const text = makeRedactor([{ name: "KEY", value }]).text(`${before}${encode(value)}${after}`);
          expect(text).toContain("[secret KEY]");
        },
      ),
      { numRuns: 500 },
    );
  });

  it("finds it in two encodings around each other, and with each character in its own", () => {
    fc.assert(
      fc.property(password, encoder, wrapper, (value, inner, outer) => {
        expect(makeRedactor([{ name: "KEY", value }]).text(outer?.(inner(value)) ?? "")).toBe("[secret KEY]");
      }),
      { numRuns: 500 },
    );
    fc.assert(
      fc.property(password, fc.array(encoder, { minLength: 1 }), (value, encoders) => {
        const mixed = Array.from(value, (char, at) => encoders[at % encoders.length]?.(char) ?? char).join("");
        expect(makeRedactor([{ name: "KEY", value }]).text(mixed)).toBe("[secret KEY]");
      }),
      { numRuns: 500 },
    );
  });

  it("removes nothing else", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), password, (text, value) => {
        fc.pre(!text.includes(value.slice(0, 2)));
        expect(makeRedactor([{ name: "KEY", value: `${value}~` }]).text(text)).toBe(text);
      }),
    );
  });

  it("leaves nothing of two secrets that share characters", () => {
    const redactor = makeRedactor([
      { name: "A", value: "0123456789abcdef" },
      { name: "B", value: "89abcdefghijklmnopqrstuv" },
    ]);
    expect(redactor.text("<0123456789abcdefghijklmnopqrstuv>")).toBe("<[secret B]>");
    const own = makeRedactor([{ name: "A", value: "abcabcabc" }]);
    expect(own.text("xabcabcabcabcabcx")).toBe("x[secret A]x");
  });

  it("looks through a text once, whatever the text and the secret are made for", () => {
    const worst: [string, string][] = [
      ["a".repeat(8_192), `${"a".repeat(8_191)}b`.repeat(20)],
      [`${"ab".repeat(4_000)}c`, "ab".repeat(80_000)],
      ["\\".repeat(8_000), "\\".repeat(40_000)],
      ["%25".repeat(2_000), "%252525".repeat(6_000)],
      ["&amp;".repeat(1_600), "&amp;amp;".repeat(5_000)],
    ];
    for (const [value, text] of worst) {
      const ms = cpuTimeOf(() => void makeRedactor([{ name: "KEY", value }]).text(text));
      // Each would take minutes if the search followed every position to its end.
      expect(ms, value.slice(0, 10)).toBeLessThan(20_000);
    }
  });

  it("finds it inside base64, wherever it begins and whatever follows", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme-ascii", minLength: 9, maxLength: 40 }),
        around,
        around,
        (value, before, after) => {
          const encoded = base64(`${before}${value}${after}`);
          expect(makeRedactor([{ name: "KEY", value }]).text(`Basic ${encoded}`)).toContain("[secret KEY]");
          const url = encoded.replaceAll("+", "-").replaceAll("/", "_");
          expect(makeRedactor([{ name: "KEY", value }]).text(url)).toContain("[secret KEY]");
        },
      ),
    );
  });

  it("goes through JSON, keys too, and changes nothing else", () => {
    const redactor = makeRedactor([{ name: "A", value: "topsecret-1" }]);
    const value = { ok: true, n: [1, null, "x topsecret-1"], "topsecret-1": { deep: ["topsecret-1"] } };
    expect(redactor.json(value)).toEqual({
      ok: true,
      n: [1, null, "x [secret A]"],
      "[secret A]": { deep: ["[secret A]"] },
    });
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(redactor.json(JSON.parse(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it("goes through the strings and the numbers of a JSON text, and leaves every other character as it is", () => {
    const redactor = makeRedactor([
      { name: "A", value: 'top"secret/1' },
      { name: "DIGITS", value: "1234567890" },
    ]);
    const text =
      '{ "n": 12345678901234567890.10,\t"top\\"secret\\/1":["x top\\u0022secret/1 y", 1234567890, -0, "\\/\\u00e4"] }';
    expect(redactor.jsonText(text)).toBe(
      '{ "n": "[secret DIGITS][secret DIGITS].10",\t"[secret A]":["x [secret A] y", "[secret DIGITS]", -0, "\\/\\u00e4"] }',
    );
    expect(redactor.jsonText('no JSON "at all": top"secret/1')).toBe('no JSON "at all": [secret A]');
    expect(redactor.json({ a: [1234567890, 5] })).toEqual({ a: ["[secret DIGITS]", 5] });
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(" ", "\n", ""), (value, space) => {
        const written = `${space}${value}${space}`;
        expect(redactor.jsonText(written)).toBe(written);
      }),
    );
  });

  it("matches the longer of two secrets with the same beginning", () => {
    const redactor = makeRedactor([
      { name: "SHORT", value: "abcdefgh" },
      { name: "LONG", value: "abcdefghijkl" },
    ]);
    expect(redactor.text("abcdefghijkl abcdefgh")).toBe("[secret LONG] [secret SHORT]");
  });

  it("is idle without secrets", () => {
    expect(makeRedactor([]).isIdle).toBe(true);
    expect(makeRedactor([{ name: "A", value: "aaaaaaaa" }]).isIdle).toBe(false);
  });
});
