import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { joinRedactors, makeRedactor } from "../../src/domain/redactor";

const secret = fc.string({ unit: "binary", minLength: 8, maxLength: 60 }).filter((text) => text.isWellFormed());
const around = fc.string({ maxLength: 30 }).filter((text) => text.isWellFormed());

function base64(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(""));
}

describe("a redactor", () => {
  it("leaves no secret in any of the forms it travels in", () => {
    const forms: ((value: string) => string)[] = [
      (value) => value,
      (value) => JSON.stringify(value).slice(1, -1),
      (value) => encodeURIComponent(value),
      (value) => encodeURIComponent(value).replace(/%[0-9A-F]{2}/g, (percent) => percent.toLowerCase()),
      (value) => JSON.stringify(JSON.stringify(value)).slice(3, -3),
    ];
    fc.assert(
      fc.property(secret, around, around, fc.constantFrom(...forms), (value, before, after, form) => {
        const text = makeRedactor([{ name: "KEY", value }]).text(`${before}${form(value)}${after}`);
        expect(text).toContain("[secret KEY]");
      }),
    );
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

  it("takes the longer of two secrets that begin alike", () => {
    const redactor = makeRedactor([
      { name: "SHORT", value: "abcdefgh" },
      { name: "LONG", value: "abcdefghijkl" },
    ]);
    expect(redactor.text("abcdefghijkl abcdefgh")).toBe("[secret LONG] [secret SHORT]");
  });

  it("is joined with others, and idle without secrets", () => {
    expect(makeRedactor([]).isIdle).toBe(true);
    const joined = joinRedactors([
      makeRedactor([]),
      makeRedactor([{ name: "A", value: "aaaaaaaa" }]),
      makeRedactor([{ name: "B", value: "bbbbbbbb" }]),
    ]);
    expect(joined.text("aaaaaaaa bbbbbbbb")).toBe("[secret A] [secret B]");
  });
});
