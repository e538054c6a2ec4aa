// Which declarations of `x-mcp-header` a tool may have.

import { describe, expect, it } from "vitest";
import { headerProblem } from "../../src/domain/mcp-header";
import type { JsonObject } from "../../src/domain/skill";

const text = (more: JsonObject) => ({ type: "string", ...more });
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: "object", properties, ...more });
const marked = text({ "x-mcp-header": "Region" });

describe("headerProblem", () => {
  it("allows them on plain properties, however deep", () => {
    expect(headerProblem(object({}))).toBeNull();
    expect(headerProblem(object({ a: marked, b: { type: "integer", "x-mcp-header": "Other" } }))).toBeNull();
    expect(headerProblem(object({ a: object({ b: { type: "boolean", "x-mcp-header": "X" } }) }))).toBeNull();
    expect(headerProblem(object({ "x-mcp-header": { type: "string" } }))).toBeNull();
  });

  it.each([
    ["at the root", object({}, { "x-mcp-header": "X" })],
    ["in items", object({ a: { type: "array", items: marked } })],
    ["in a branch", object({}, { anyOf: [object({ a: marked })] })],
    ["in definitions", object({}, { $defs: { a: marked } })],
    ["of an empty name", object({ a: text({ "x-mcp-header": "" }) })],
    ["of a name with a space", object({ a: text({ "x-mcp-header": "a b" }) })],
    ["of a name with a line break", object({ a: text({ "x-mcp-header": "a\r\nb" }) })],
    ["of no name", object({ a: text({ "x-mcp-header": 5 }) })],
    ["on an object", object({ a: object({}, { "x-mcp-header": "X" }) })],
    ["on a number", object({ a: { type: "number", "x-mcp-header": "X" } })],
    ["on nothing in particular", object({ a: { "x-mcp-header": "X" } })],
    ["twice", object({ a: marked, b: text({ "x-mcp-header": "region" }) })],
  ])("refuses one %s", (_, schema) => {
    expect(headerProblem(schema)).toMatch(/^x-mcp-header /);
  });
});
