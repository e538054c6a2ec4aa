import fc from "fast-check";
import { expect, it } from "vitest";
import { isDeeper } from "../../src/domain/json";

const depthOf = (value: unknown): number =>
  typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

it("knows how deep JSON is without parsing it, whatever is in its strings", () => {
  const nasty = fc.string({ unit: fc.constantFrom('"', "\\", "[", "{", "}", "]", "a", "é") });
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 6 },
      nasty,
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(nasty, tie("value"), { maxKeys: 3 }),
    ),
  }));
  fc.assert(
    fc.property(value, fc.nat(6), fc.boolean(), (json, most, pretty) => {
      const text = pretty ? JSON.stringify(json, null, 2) : JSON.stringify(json);
      return isDeeper(text, most) === depthOf(json) > most;
    }),
    { numRuns: 1_000 },
  );
});

it("ends, whatever the text", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => typeof isDeeper(text, 3) === "boolean"));
  for (const text of ['"', '"\\', '"\\"', '["\\\\"]', "", "[[[["]) expect(isDeeper(text, 3)).toBe(text === "[[[[");
});
