import { Validator } from "@cfworker/json-schema";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/domain/json";
import { schemaProblems } from "../../../src/domain/tools/arguments";

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: "object", properties, ...more });

describe("arguments that do not fit", () => {
  it.each<[string, JsonObject, JsonObject, string[]]>([
    ["a type", object({ a: { type: "array" } }), { a: "x" }, ["'a' must be an array, and is a string"]],
    [
      "one of several types",
      object({ a: { type: ["string", "null"] } }),
      { a: 1 },
      ["'a' must be a string or null, and is a number"],
    ],
    ["an integer", object({ a: { type: "integer" } }), { a: 1.5 }, ["'a' must be an integer, and is a number"]],
    ["a null", object({ a: { type: "string" } }), { a: null }, ["'a' must be a string, and is null"]],
    [
      "what is missing, with what it is to be",
      object({ a: { type: "string" } }, { required: ["a", "b"] }),
      {},
      ["'a' is missing (a string)", "'b' is missing"],
    ],
    [
      "what is not known",
      object({ a: {} }, { additionalProperties: false }),
      { b: 1 },
      ["'b' is not known (known: a)"],
    ],
    [
      "a name that is none of JavaScript's",
      object({}, { additionalProperties: { type: "string" } }),
      { "a b": 1, __proto__x: 2 },
      [`'["a b"]' must be a string, and is a number`, "'__proto__x' must be a string, and is a number"],
    ],
    [
      "what lies deeper",
      object({ list: { type: "array", items: object({ sha: { type: "string" } }) } }),
      { list: [{ sha: "a" }, { sha: 7 }] },
      ["'list[1].sha' must be a string, and is a number"],
    ],
    [
      "a place in a tuple, as both dialects write it",
      object({ a: { prefixItems: [{ type: "string" }], items: false }, b: { items: [{ type: "null" }] } }),
      { a: [1, 2], b: [1, 2] },
      ["'a[0]' must be a string, and is a number", "'a[1]' is not allowed", "'b[0]' must be null, and is a number"],
    ],
    [
      "a choice",
      object({ a: { enum: ["x", { y: [1] }] }, b: { const: 1 } }),
      { a: { y: [2] }, b: 2 },
      [`'a' must be one of "x", {"y":[1]}`, "'b' must be 1"],
    ],
    [
      "bounds",
      object({ a: { minimum: 1 }, b: { exclusiveMaximum: 2 }, c: { maxLength: 1 }, d: { minItems: 2 } }),
      { a: 0, b: 2, c: "ab", d: [1] },
      [
        "'a' must be at least 1",
        "'b' must be less than 2",
        "'c' must have at most 1 characters",
        "'d' must have at least 2 items",
      ],
    ],
    [
      "every way of several",
      object({ a: { anyOf: [{ type: "string" }, object({ n: { type: "number" } }, { required: ["n"] })] } }),
      { a: {} },
      ["'a' must be a string, and is an object, or 'a.n' is missing (a number)"],
    ],
    [
      "what a reference means",
      object({ a: { $ref: "#/$defs/~1x%20y" } }, { $defs: { "/x y": { type: "boolean" } } }),
      { a: "true" },
      ["'a' must be a boolean, and is a string"],
    ],
    [
      "a tree that is its own schema",
      object({ left: { $ref: "#" }, v: { type: "number" } }),
      { left: { left: { v: "1" } } },
      ["'left.left.v' must be a number, and is a string"],
    ],
  ])("are reported with path and expected value: %s", (_, schema, args, problems) => {
    expect(schemaProblems(schema, args)).toEqual(problems);
  });

  it("are reported ten at a time", () => {
    const args = Object.fromEntries(Array.from({ length: 15 }, (_, n) => [`p${n}`, n]));
    const problems = schemaProblems({ additionalProperties: { type: "string" } }, args);
    expect(problems.length).toBe(11);
    expect(problems.at(-1)).toBe("and 5 more");
  });

  it("are reported briefly, however long names, choices and texts are", () => {
    const long = "x".repeat(50_000);
    const schema = object({ [long]: { enum: [long] }, b: { const: long } }, { additionalProperties: false });
    for (const problem of schemaProblems(schema, { [long]: 1, b: 1, [`${long}y`]: 1 }))
      expect(problem.length).toBeLessThan(500);
  });
});

describe("arguments that are not checked", () => {
  it.each<[string, JsonObject, JsonObject]>([
    ["an unknown type", object({ a: { type: "strng" } }), { a: 1 }],
    ["properties that are none", { type: "object", properties: 5, required: "a", items: "b" }, { a: 1 }],
    ["a keyword of another kind", object({ a: { minimum: "1", enum: "x", anyOf: {}, $ref: 7 } }), { a: 0 }],
    ["patterns and formats", object({ a: { pattern: "^b", format: "email" } }), { a: "a" }],
    ["names beside patterns", { patternProperties: { "^x": {} }, additionalProperties: false }, { a: 1 }],
    ["`not`, as what is in it may not be known", object({ a: { not: { pattern: "b" } } }), { a: "b" }],
    ["a second way of `oneOf`", object({ a: { oneOf: [{}, { pattern: "b" }] } }), { a: "b" }],
    ["a reference to elsewhere", object({ a: { $ref: "https://example.com/s.json" } }), { a: 1 }],
    ["a reference to nowhere", object({ a: { $ref: "#/$defs/gone" }, b: { $ref: "#/%" } }), { a: 1, b: 1 }],
    ["another document inside", object({ a: { $id: "other", type: "string" } }), { a: 1 }],
  ])("%s", (_, schema, args) => {
    expect(schemaProblems(schema, args)).toEqual([]);
  });
});

describe("a schema that costs", () => {
  const deep = (levels: number): JsonObject => {
    let value: JsonObject = {};
    for (let level = 0; level < levels; level++) value = { a: value };
    return value;
  };

  it.each<[string, JsonObject, JsonObject]>([
    ["refers to itself", { $ref: "#" }, {}],
    ["refers in a circle", { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } }, {}],
    ["doubles at each step", { anyOf: [{ $ref: "#" }, { $ref: "#" }], allOf: [{ $ref: "#" }, { $ref: "#" }] }, {}],
    [
      "doubles at each level of the arguments",
      { properties: { a: { anyOf: [{ allOf: [{ $ref: "#" }, false] }, { $ref: "#" }, { $ref: "#" }] } } },
      deep(90),
    ],
    ["is deeper than a stack", { properties: { a: { $ref: "#" } } }, deep(50_000)],
    [
      "compares with much at each item",
      { properties: { a: { items: { enum: [Array.from({ length: 10_000 }, (_, n) => n)] } } } },
      { a: Array.from({ length: 1_000 }, () => Array.from({ length: 10_000 }, (_, n) => (n === 9_999 ? 0 : n))) },
    ],
    [
      "counts a long text again and again",
      { properties: { a: { allOf: Array.from({ length: 2_000 }, () => ({ maxLength: 1_000_000 })) } } },
      { a: "😀".repeat(900_000) },
    ],
    [
      "has a reference as long as itself",
      { properties: { a: { items: { $ref: `#/${"a/".repeat(30_000)}` } } } },
      { a: Array.from({ length: 100_000 }, () => 1) },
    ],
    [
      "refuses much with long words",
      { properties: { a: { items: { const: "x".repeat(60_000) } } } },
      { a: Array.from({ length: 100_000 }, () => 1) },
    ],
  ])("ends soon when it %s", (_, schema, args) => {
    expect(schemaProblems(schema, args).length).toBeLessThan(12);
  });
});

/** Random schemas with supported and unsupported keywords. The reference validator treats `[]` and `{}` as equal. */
const leaf: fc.Arbitrary<JsonValue> = fc.constantFrom<JsonValue[]>(
  null,
  true,
  0,
  1,
  1.5,
  "",
  "a",
  "😀b",
  [1],
  {},
  { a: 1 },
);
const name = fc.constantFrom("a", "b", "c");
const typeName = fc.constantFrom("string", "number", "integer", "boolean", "object", "array", "null");
const { schema } = fc.letrec<{ schema: JsonValue }>((tie) => {
  const some = fc.array(tie("schema"), { minLength: 1, maxLength: 2 });
  const keyword: fc.Arbitrary<[string, JsonValue]> = fc.oneof(
    fc.tuple(fc.constant("type"), fc.oneof(typeName, fc.uniqueArray(typeName, { minLength: 1, maxLength: 3 }))),
    fc.tuple(fc.constant("enum"), fc.array(leaf, { minLength: 1, maxLength: 3 })),
    fc.tuple(fc.constant("const"), leaf),
    fc.tuple(
      fc.constantFrom("minimum", "exclusiveMaximum", "minLength", "maxLength", "minItems", "maxItems"),
      fc.nat(2),
    ),
    fc.tuple(fc.constant("required"), fc.uniqueArray(name, { maxLength: 2 })),
    fc.tuple(fc.constantFrom("properties", "patternProperties"), fc.dictionary(name, tie("schema"), { maxKeys: 2 })),
    fc.tuple(fc.constantFrom("additionalProperties", "items", "not"), tie("schema")),
    fc.tuple(fc.constantFrom("prefixItems", "allOf", "anyOf", "oneOf"), some),
    fc.tuple(fc.constant("pattern"), fc.constantFrom("^a", "b$")),
    fc.tuple(fc.constant("$ref"), fc.constantFrom("#/$defs/a", "#/$defs/b")),
  );
  const keywords = fc.array(keyword, { minLength: 1, maxLength: 2 }).map((all): JsonValue => Object.fromEntries(all));
  return { schema: fc.oneof({ maxDepth: 3, depthSize: "small" }, fc.boolean(), keywords) };
});
const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    leaf,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(name, tie("value"), { maxKeys: 3 }),
  ),
}));

describe("beside a full validator", () => {
  const roots = fc.record({
    properties: fc.dictionary(name, schema, { minKeys: 1 }),
    required: fc.uniqueArray(name, { maxLength: 1 }),
    $defs: fc.record({ a: schema, b: fc.constantFrom<JsonValue>(true, { type: "string" }) }),
  });
  const args = fc.dictionary(name, value, { minKeys: 1, maxKeys: 3 });
  const takes = (root: JsonObject, given: JsonObject) => new Validator(root, "2020-12").validate(given).valid;
  const isCircular = (root: JsonObject) => JSON.stringify(root.$defs).includes("#/$defs/a");
  const PASSED_OVER = /"(not|pattern|patternProperties|oneOf)"/;

  it("rejects nothing valid, and everything invalid under the supported keywords", () => {
    const seen = { taken: 0, refused: 0 };
    fc.assert(
      fc.property(roots, args, (root, given) => {
        fc.pre(!isCircular(root));
        const valid = takes(root, given);
        const problems = schemaProblems(root, given);
        seen[valid ? "taken" : "refused"]++;
        if (valid) expect(problems).toEqual([]);
        else if (!PASSED_OVER.test(JSON.stringify(root))) expect(problems).not.toEqual([]);
      }),
      { numRuns: 2_000 },
    );
    expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(300);
  });
});
