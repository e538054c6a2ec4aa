// Requests to the model: unknown fields are passed on unchanged, at every depth, in all protocols.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anthropicMessages } from "../../../src/domain/chat/anthropic/messages";
import { openaiChat } from "../../../src/domain/chat/openai/chat";
import { openaiResponses } from "../../../src/domain/chat/openai/responses";
import type { JsonObject, JsonValue } from "../../../src/domain/json";

const field = fc.stringMatching(/^x_[a-z]{1,8}$/);
const value = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.boolean(),
  fc.dictionary(field, fc.string()),
  fc.array(fc.string()),
);
const unknown = fc.dictionary(field, value, { maxKeys: 4 });
const parts = { model: "m", system: "Ours.", tools: [{ name: "load_skill" }], isLast: false, spent: 0 };
const rest = { singleSystem: false, cacheKey: null };

/** A request of each protocol with unknown fields, and where they appear in the sent request. */
const REQUESTS = {
  "Chat Completions": {
    protocol: openaiChat,
    request: (inside: JsonObject) => ({
      messages: [{ role: "user", content: [{ type: "new_part", ...inside }], ...inside }],
      tools: [{ type: "custom", custom: { name: "t", ...inside }, ...inside }],
    }),
  },
  Messages: {
    protocol: anthropicMessages,
    request: (inside: JsonObject) => ({
      messages: [{ role: "user", content: [{ type: "new_part", ...inside }], ...inside }],
      tools: [{ name: "t", input_schema: {}, ...inside }],
    }),
  },
  Responses: {
    protocol: openaiResponses,
    request: (inside: JsonObject) => ({
      input: [
        { role: "user", content: [{ type: "new_part", ...inside }], ...inside },
        { type: "new_item", ...inside },
        { type: "new_call", id: "n", ...inside },
        { type: "function_call", call_id: "c", name: "t", arguments: "{}", ...inside },
        { type: "function_call_output", call_id: "c", output: "there", ...inside },
      ],
      tools: [{ type: "custom", name: "t", ...inside }],
    }),
  },
};

const listOf = (body: JsonObject): JsonValue => body.messages ?? body.input ?? null;

describe.each(Object.entries(REQUESTS))("%s", (_, { protocol, request }) => {
  it("keeps unknown fields of the request, its messages and its tools", () => {
    fc.assert(
      fc.property(unknown, unknown, (outside, inside) => {
        const body: JsonObject = { ...outside, ...request(inside), model: "asked" };
        const sent = protocol.stepBody(body, { ...parts, ...rest, messages: protocol.messages(body) ?? [] });
        expect(sent).toMatchObject(outside);
        const [shown, asked] = [listOf(sent), listOf(body)];
        expect(Array.isArray(shown) && Array.isArray(asked) && shown.slice(-asked.length)).toEqual(asked);
        expect(Array.isArray(sent.tools) && sent.tools.slice(1)).toEqual(body.tools);
      }),
    );
  });

  it("keeps a stored answer unchanged for the same model", () => {
    fc.assert(
      fc.property(unknown, (inside) => {
        const body: JsonObject = { ...request(inside), model: "asked" };
        const messages = protocol.messages(body) ?? [];
        expect(protocol.join(messages, [])).toEqual(messages);
      }),
    );
  });
});

describe("Responses", () => {
  const thought = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "sealed" };
  const said = { type: "message", id: "msg_1", role: "assistant", content: [{ type: "output_text", text: "Hi" }] };
  const call = (id: string) => ({ type: "function_call", id: `fc_${id}`, call_id: id, name: "t", arguments: "{}" });
  const sent = (body: JsonObject, more: object = {}) =>
    openaiResponses.stepBody(body, { ...parts, ...rest, messages: openaiResponses.messages(body) ?? [], ...more });

  it("leaves out thoughts that no vendor has, and the ids that would ask for them", () => {
    const { encrypted_content: _, ...bare } = thought;
    const { id: __, ...unbound } = said;
    const user = { role: "user", content: "Hello" };
    const cases: [JsonObject[], JsonObject[]?][] = [
      [
        [thought, said, user],
        [thought, said, user],
      ],
      [
        [bare, said, user],
        [unbound, user],
      ],
      [[thought, user], [user]],
      [
        [thought, thought, said, user],
        [thought, said, user],
      ],
      [[{ ...bare, content: [{ type: "reasoning_text", text: "Hm." }] }, said]],
    ];
    for (const [input, left] of cases)
      expect(sent({ input }).input).toEqual([{ role: "system", content: "Ours." }, ...(left ?? input)]);
  });

  it("a step loses calls without result, with the thinking that led only to them", () => {
    const step = openaiResponses.messages({ input: [thought, said, { ...thought, id: "rs_2" }, call("a")] })?.[0] ?? {};
    expect(openaiResponses.withoutCalls(step, ["a"])).toMatchObject({ content: [thought, said] });
    expect(openaiResponses.withoutCalls(step, ["b"])).toEqual(step);
    const { id: _, ...unbound } = said;
    const { id: __, ...called } = call("a");
    expect(openaiResponses.withoutThoughts(step)).toMatchObject({ content: [unbound, called] });
  });

  it("limits the vendor's own tools by the remaining uses, and adds no limit without one", () => {
    const search = { type: "web_search_call", id: "ws_1", status: "completed" };
    const tools: JsonObject[] = [{ type: "web_search" }, { type: "function", name: "t" }];
    const asked = (max_tool_calls: number) =>
      sent({ input: [{ role: "user", content: "Go" }, search], tools, max_tool_calls });
    expect(asked(3)).toMatchObject({ max_tool_calls: 2, tools: [{}, ...tools] });
    expect(asked(1)).toMatchObject({ max_tool_calls: 0, tools: [{}, tools[1]] });
    expect(sent({ input: "Go" })).not.toHaveProperty("max_tool_calls");
    expect(sent({ input: "Go", max_output_tokens: 100 }, { spent: 90 })).toMatchObject({ max_output_tokens: 16 });
  });

  it("puts the gateway's text before the caller's instructions for models with one system message", () => {
    const { instructions, input } = sent({ input: "Go", instructions: "Be short." }, { singleSystem: true });
    expect([instructions, input]).toEqual(["Ours.\n\nBe short.", [{ role: "user", content: "Go" }]]);
  });
});
