// The generator of the package's types: it reads the document and stops at unknown parts.

import { describe, expect, it } from "vitest";
import { emit, emitTexts } from "../../sdk/emit.mjs";

const operation = (schema: object, more: object = {}) => ({
  operationId: "things.get",
  summary: "A thing",
  "x-retry": "safe",
  responses: { 200: { content: { "application/json": { schema } } } },
  ...more,
});
const document = (get: object) => ({ components: { schemas: {} }, paths: { "/things/{id}": { get } } });

describe("emit", () => {
  it("writes types as the schemas are", () => {
    const schema = {
      type: "object",
      properties: {
        name: { type: "string", maxLength: 5 },
        state: { enum: ["on", "off"] },
        of: { anyOf: [{ type: "integer" }, { type: "null" }] },
        rest: { type: "object", additionalProperties: { type: "boolean" } },
      },
      required: ["name"],
    };
    const id = { in: "path", name: "id", required: true, schema: { type: "string" } };
    const text = emit(document(operation(schema, { parameters: [id] })));
    expect(text).toContain(
      '"things.get": { request: { path: { id: string } }; answer: { name: string; state?: "on" | "off"; of?: (number) | (null); rest?: { [name: string]: boolean } } };',
    );
    expect(text).toContain('"things.get": ["GET","/things/{id}","safe","json"]');
  });

  it.each<[string, object]>([
    ["the keyword patternProperties", operation({ type: "object", patternProperties: {} })],
    ["the type tuple", operation({ type: "tuple" })],
    ["the reference", operation({ $ref: "https://example.com/schema" })],
    ["x-retry", operation({}, { "x-retry": "maybe" })],
    ["operationId", operation({}, { operationId: undefined })],
    ["a parameter in cookie", operation({}, { parameters: [{ in: "cookie", name: "id", schema: {} }] })],
    [
      "events of its stream",
      operation(
        {},
        {
          responses: { 200: { content: { "application/json": { schema: {} }, "text/event-stream": { schema: {} } } } },
        },
      ),
    ],
    [
      "several types of bodies",
      operation(
        {},
        { requestBody: { content: { "application/json": { schema: {} }, "multipart/form-data": { schema: {} } } } },
      ),
    ],
    [
      "answers of several kinds",
      operation({}, { responses: { 200: { content: { "application/json": { schema: {} } } }, 204: {} } }),
    ],
    ["a body of type", operation({}, { requestBody: { content: { "text/csv": { schema: {} } } } })],
  ])("stops at %s", (told, unknown) => {
    expect(() => emit(document(unknown))).toThrow(told);
  });
});

describe("the texts of fields", () => {
  const schemas = (spec: object) => ({ components: { schemas: { GhostRequest: { properties: { spec } } } } });

  it("are those that the document has, by field", () => {
    const properties = { skills: { description: 'What it may "load".' }, silent: { type: "string" } };
    expect(emitTexts(schemas({ properties }))).toContain('"skills": "What it may \\"load\\"."');
    expect(emitTexts(schemas({ properties }))).not.toContain("silent");
  });

  it("are missed where the document lacks the object", () => {
    expect(() => emitTexts({ components: { schemas: {} } })).toThrow("GhostRequest.spec has no fields");
  });
});
