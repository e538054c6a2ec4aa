// Questions that an MCP server can ask a user: flat schema forms of the specification and links, without misleading content.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { plainText, readElicitAnswer, readElicitation } from "../../../src/domain/questions/elicitation";
import { schemaProblems } from "../../../src/domain/tools/arguments";

const form = (properties: object, more: object = {}) => ({
  message: "m",
  requestedSchema: { type: "object", properties, ...more },
});
const read = (params: object) => readElicitation(JSON.parse(JSON.stringify(params)), false);

function asked(params: object) {
  const found = read(params);
  if (found.refusal !== undefined) throw new Error(found.refusal);
  return found;
}

describe("a form", () => {
  it("has every kind of field that MCP has", () => {
    const properties = {
      text: { type: "string", title: "T", minLength: 1, maxLength: 5 },
      mail: { type: "string", format: "email" },
      whole: { type: "integer", minimum: 1, maximum: 9 },
      yes: { type: "boolean", default: true },
      one: { type: "string", enum: ["a", "b"] },
      named: { type: "string", oneOf: [{ const: "a", title: "A" }] },
      many: { type: "array", items: { type: "string", enum: ["a", "b"] }, maxItems: 1 },
      manyNamed: { type: "array", items: { anyOf: [{ const: "a", title: "A" }] } },
    };
    const { payload, answerSchema } = asked(form(properties, { required: ["text", "absent"] }));
    expect(payload).toMatchObject({ message: "m", schema: { type: "object", properties, required: ["text"] } });
    // Also for pages that support this action for skills.
    expect(payload.fields).toContainEqual({ name: "text", label: "T", type: "text", required: true });
    expect(payload.fields).toContainEqual({
      name: "many",
      label: "many",
      type: "choice",
      options: ["a", "b"],
      required: false,
    });
    expect(schemaProblems(answerSchema, { values: { text: "a", one: null } })).toEqual([]);
    expect(schemaProblems(answerSchema, { values: { text: null } })).not.toEqual([]);
    expect(readElicitAnswer({ values: { text: "a", one: null } })).toEqual({
      action: "accept",
      content: { text: "a" },
    });
    const answer = (content: object) => schemaProblems(answerSchema, { action: "accept", content } as never);
    expect(answer({ text: "abc", whole: 2, many: ["a"] })).toEqual([]);
    expect(answer({ text: "abcdef" })).not.toEqual([]);
    expect(answer({})).not.toEqual([]);
    expect(answer({ text: "a", more: 1 })).not.toEqual([]);
    expect(answer({ text: "a", one: "c" })).not.toEqual([]);
    expect(schemaProblems(answerSchema, { action: "decline" })).toEqual([]);
    expect(schemaProblems(answerSchema, { action: "accept" })).not.toEqual([]);
  });

  it("names choices as they are named today", () => {
    const { payload } = asked(form({ pick: { type: "string", enum: ["a", "b"], enumNames: ["A"] } }));
    expect(payload).toMatchObject({
      schema: {
        properties: {
          pick: {
            oneOf: [
              { const: "a", title: "A" },
              { const: "b", title: "b" },
            ],
          },
        },
      },
    });
  });

  it.each([
    "password",
    "userPassword",
    "api_key",
    "API-Key",
    "accessToken",
    "client_secret",
    "PIN",
    "otp",
    "passphrase",
  ])("does not ask for '%s'", (name) => {
    expect(read(form({ [name]: { type: "string" } })).refusal).toContain("credential");
    expect(read(form({ field: { type: "string", title: name } })).refusal).toContain("credential");
  });

  it.each(["name", "keyboard", "pinnedNote", "shipping", "tokenizer"])("may ask for '%s'", (name) => {
    expect(read(form({ [name]: { type: "string" } })).refusal).toBeUndefined();
  });

  it.each([
    ["nests", form({ a: { type: "object", properties: {} } })],
    ["has a format that nobody knows", form({ a: { type: "string", format: "regex" } })],
    ["hides a password behind its format", form({ a: { type: "string", format: "password" } })],
    [
      "has too many fields",
      form(Object.fromEntries(Array.from({ length: 33 }, (_, n) => [`f${n}`, { type: "string" }]))),
    ],
    ["has too many choices", form({ a: { type: "string", enum: Array.from({ length: 101 }, (_, n) => `${n}`) } })],
    ["is giant", { ...form({}), message: "x".repeat(20_000) }],
    ["is none", { message: "m" }],
  ])("that %s is declined", (_, params) => {
    expect(read(params).refusal).toBeTypeOf("string");
  });

  it("leaves out a field that is called like a member of every object", () => {
    const requestedSchema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"a":{"type":"string"}}}',
    );
    const { payload } = asked({ message: "m", requestedSchema });
    expect(Object.keys(payload.schema as object)).toEqual(["type", "properties", "required"]);
    expect(JSON.stringify(payload)).not.toContain("__proto__");
  });
});

describe("a link", () => {
  const link = (url: string) => read({ mode: "url", message: "m", url });

  it.each([
    "http://a.example/",
    "javascript:alert(1)",
    "https://user:pw@a.example/",
    "https://a.example/\u202e",
    "data:text/html,x",
    "",
    `https://a.example/${"x".repeat(2_048)}`,
  ])("that is '%s' is declined", (url) => {
    expect(link(url).refusal).toBeTypeOf("string");
  });

  it("over http leads to this machine in development only", () => {
    const params = { mode: "url", message: "m", url: "http://127.0.0.1:3000/x" };
    expect(readElicitation(params, true)).toMatchObject({ action: "open_url", payload: { host: "127.0.0.1:3000" } });
    expect(readElicitation(params, false).refusal).toBeTypeOf("string");
  });
});

describe("a message", () => {
  it("is text that reads as it is written", () => {
    expect(plainText("a\u202eb\u0000c\nd\u200be<b>")).toBe("abc\nde<b>");
    expect(plainText("x".repeat(3_000))).toHaveLength(2_000);
  });

  it("is never too long, and never rejected for its content", { tags: ["slow"] }, () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (message) => {
        const found = read({ message, requestedSchema: { type: "object", properties: {} } });
        expect(found.refusal).toBeUndefined();
        expect(plainText(message).length).toBeLessThanOrEqual(2_000);
      }),
    );
  });
});
