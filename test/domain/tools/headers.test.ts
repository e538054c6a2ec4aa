import { describe, expect, it } from "vitest";
import { headerProblem, withoutHeaders } from "../../../src/domain/tools/headers";

const schema = (properties: object, more: object = {}) => ({ type: "object", properties: { ...properties }, ...more });
const header = (name: unknown, type: unknown = "string") => ({ type, "x-mcp-header": name }) as never;

describe("headers that a tool's parameters travel in", () => {
  it.each([
    ["none", schema({ a: { type: "string" } })],
    ["of every simple type", schema({ a: header("A"), b: header("B", "integer"), c: header("C", "boolean") })],
    ["of nested properties", schema({ a: schema({ b: header("B") }) })],
    ["that are only data", schema({ a: { type: "object", default: { "x-mcp-header": "" } } })],
    ["of a property that is called so", schema({ "x-mcp-header": { type: "string" } })],
  ])("are fine: %s", (_, good) => expect(headerProblem(good as never)).toBeNull());

  it.each([
    ["empty", schema({ a: header("") }), "not a header name"],
    ["no text", schema({ a: header(5) }), "not a header name"],
    ["with a space", schema({ a: header("a b") }), "not a header name"],
    ["with a colon", schema({ a: header("a:") }), "not a header name"],
    ["with a line break", schema({ a: header("a\n") }), "not a header name"],
    ["of an object", schema({ a: header("A", "object") }), "only strings"],
    ["of a number", schema({ a: header("A", "number") }), "only strings"],
    ["of no type", schema({ a: { "x-mcp-header": "A" } }), "only strings"],
    ["twice", schema({ a: header("Same"), b: header("same") }), "the same header"],
    ["at the root", schema({}, header("A", "object")), "every call"],
    ["of items", schema({ a: { type: "array", items: header("A") } }), "every call"],
    ["in a branch", schema({}, { anyOf: [schema({ a: header("A") })] }), "every call"],
    ["in a definition", schema({}, { $defs: { a: header("A") } }), "every call"],
  ])("are refused: %s", (_, bad, told) => expect(headerProblem(bad as never)).toContain(told));
});

it("are taken out of a schema, and nothing else is", () => {
  const nested = schema({ inner: header("Inner"), "x-mcp-header": { type: "string" } }, { required: ["inner"] });
  const plain = schema({ inner: { type: "string" }, "x-mcp-header": { type: "string" } }, { required: ["inner"] });
  const more = { default: { "x-mcp-header": "data" }, additionalProperties: false };
  const given = schema({ a: header("A"), b: nested, c: true }, more);
  expect(withoutHeaders(given as never)).toEqual(schema({ a: { type: "string" }, b: plain, c: true }, more));
});
