import fc from "fast-check";
import { expect, it } from "vitest";
import { readKeyId, writeKey } from "../../../src/domain/access/key";

const key = fc
  .tuple(fc.stringMatching(/^[0-9A-Z]{26}$/), fc.uint8Array({ minLength: 32, maxLength: 32 }))
  .map(([id, random]) => ({ id, text: writeKey(id, random) }));

it("parses the id of a created key", () => {
  fc.assert(fc.property(key, ({ id, text }) => readKeyId(text) === id));
});

it("knows a key that was mistyped, wherever that was", () => {
  const hex = fc.constantFrom(..."0123456789abcdef");
  fc.assert(
    fc.property(key, fc.nat(71), hex, ({ text }, from, digit) => {
      const at = text.length - 72 + from;
      fc.pre(text[at] !== digit);
      return readKeyId(text.slice(0, at) + digit + text.slice(at + 1)) === "mistyped";
    }),
  );
  const text = writeKey("0123456789", new Uint8Array(32));
  expect(readKeyId(text.replace("0123456789", "0123456798"))).toBe("mistyped");
});

it("accepts keys of the first format, which have no checksum, and no others", () => {
  expect(readKeyId(`sgw_0ABC_${"0f".repeat(32)}`)).toBe("0ABC");
  for (const text of ["", "sgw_", "sgw_0ABC_12", `sgw_0ABC_${"0F".repeat(32)}`, `sgw_a-b-_${"00".repeat(32)}`]) {
    expect(readKeyId(text)).toBeNull();
  }
  expect(readKeyId(`sgw_0ABC_${"00".repeat(32)}\n`)).toBeNull();
});
