// Rules of the scripted vendors: each rejects only the requests that violate it.

import { describe, expect, it } from "vitest";
import { MESSAGES_HEADERS, MESSAGES_RULES, messagesAnswer } from "../../support/vendors/anthropic";
import { type MessagesRequest, messagesSchema } from "../../support/vendors/anthropic-fields";
import {
  DEEPSEEK_RULES,
  deepseekAnswer,
  deepseekSchema,
  GEMINI_RULES,
  geminiAnswer,
  geminiSchema,
} from "../../support/vendors/compatible";
import { CHAT_RULES, chatSchema, OPENAI_HEADERS } from "../../support/vendors/openai-chat";
import { RESPONSES_RULES, responsesSchema } from "../../support/vendors/openai-responses";
import { PrefixMeter } from "../../support/vendors/prefix-meter";
import { type HeaderRule, judge } from "../../support/vendors/rule";
import { startVendor } from "../../support/vendors/server";

type NameOf<Rules extends readonly { name: string }[]> = Rules[number]["name"] | "shape";

describe("Messages", () => {
  const mark = { cache_control: { type: "ephemeral" } } as const;
  const hello = { role: "user", content: "Hello" } as const;
  const use = (id: string) => ({ type: "tool_use", id, name: "look", input: {} }) as const;
  const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "there" }) as const;
  const tool = (name: string) => ({ name, input_schema: { type: "object" as const } });
  const request = (...messages: MessagesRequest["messages"]): MessagesRequest => ({
    ...{ model: "claude-opus-5-5", max_tokens: 100, system: "Be short.", tools: [tool("look")], messages },
  });
  const refused = (body: object) => judge(messagesSchema, MESSAGES_RULES, body).refused?.rule ?? null;

  it("accepts calls with their results, cache marks, and two messages of one role", () => {
    const tools = [{ ...tool("look"), ...mark }];
    const system = [{ type: "text", text: "Be short.", ...mark }];
    const messages = [
      hello,
      { role: "user", content: [{ type: "text", text: "And now?" }] },
      { role: "assistant", content: [use("a"), use("b")] },
      { role: "user", content: [result("b"), result("a")] },
      hello,
    ];
    expect(refused({ ...request(), messages, tools, system, ...mark })).toBe(null);
  });

  const broken: Record<NameOf<typeof MESSAGES_RULES>, object> = {
    shape: request({ ...hello, append_id: "apd_1" } as typeof hello),
    "the first message is the user's": request({ role: "assistant", content: "Hello" }, hello),
    "the last message is the user's": request(hello, { role: "assistant", content: "Well" }),
    "a call has its result in the next message": request(
      hello,
      { role: "assistant", content: [use("a"), use("b")] },
      { role: "user", content: [result("a")] },
    ),
    "a result has its call in the message before, once": request(
      hello,
      { role: "assistant", content: [use("a")] },
      { role: "user", content: [result("a"), result("a")] },
    ),
    "results come before any text": request(
      hello,
      { role: "assistant", content: [use("a")] },
      { role: "user", content: [{ type: "text", text: "Here" }, result("a")] },
    ),
    "ids of calls are unique": request(
      hello,
      { role: "assistant", content: [use("a")] },
      { role: "user", content: [result("a")] },
      { role: "assistant", content: [use("a")] },
      { role: "user", content: [result("a")] },
    ),
    "a history with calls has some tool defined": {
      ...request(hello, { role: "assistant", content: [use("a")] }, { role: "user", content: [result("a")] }),
      tools: [],
    },
    "names of tools are unique": { ...request(hello), tools: [tool("look"), tool("look")] },
    "at most four marks for the cache": {
      ...{ ...request(hello), ...mark, tools: ["a", "b", "c", "d"].map((name) => ({ ...tool(name), ...mark })) },
    },
    "what stands before a thinking block is as it was": { ...thoughtful(), system: "Be long." },
  };
  it.each(Object.entries(broken))("refuses: %s", (rule, body) => expect(refused(body)).toBe(rule));

  /** Three turns, each with a thinking block, and a question. */
  function thoughtful(): MessagesRequest {
    let made = request(hello);
    for (const step of ["1", "2", "3"]) {
      const { content } = messagesAnswer(made, { calls: [], text: "Yes" }, step) as { content: [] };
      made = request(...made.messages, { role: "assistant", content }, hello);
    }
    return made;
  }
  const without = (given: MessagesRequest, ...turns: number[]): MessagesRequest => {
    const messages = given.messages.map((message, index) =>
      message.role === "assistant" && typeof message.content !== "string" && turns.includes(index)
        ? { ...message, content: message.content.filter(({ type }) => !type.endsWith("thinking")) }
        : message,
    );
    return { ...given, messages };
  };
  const edited = (given: MessagesRequest) => ({
    ...given,
    messages: [{ ...hello, content: "Hi" }, ...given.messages.slice(1)],
  });

  describe("a thinking block", () => {
    it("is accepted if everything before it is unchanged, with or without cache marks", () => {
      expect(refused(thoughtful())).toBe(null);
      expect(refused({ ...thoughtful(), system: [{ type: "text", text: "Be short.", ...mark }], ...mark })).toBe(null);
    });

    it("may leave from the front, not from the middle", () => {
      expect(refused(without(thoughtful(), 1))).toBe(null);
      expect(refused(without(thoughtful(), 1, 3))).toBe(null);
      expect(refused(without(thoughtful(), 3))).toBe("what stands before a thinking block is as it was");
    });

    it.each([
      ["another tool", { ...thoughtful(), tools: [tool("look"), tool("other")] }],
      ["another message", edited(thoughtful())],
      ["another message, and only some thinking gone", edited(without(thoughtful(), 1, 3))],
      ["a longer turn", { ...thoughtful(), messages: [hello, ...thoughtful().messages] }],
    ])("is refused behind %s", (_, body) => {
      expect(refused(body)).toBe("what stands before a thinking block is as it was");
    });

    it("is no matter once all thinking is gone", () => {
      expect(refused(edited(without(thoughtful(), 1, 3, 5)))).toBe(null);
    });

    it.each([
      ["altered", { thinking: "Thinking about something else." }],
      ["made up", { signature: "made up" }],
    ])("is refused when it is %s", (_, more) => {
      const given = JSON.parse(JSON.stringify(thoughtful()));
      Object.assign(given.messages[1].content[0], more);
      expect(refused(given)).toBe("what stands before a thinking block is as it was");
    });
  });
});

describe("Chat Completions", () => {
  const hello = { role: "user", content: "Hello" };
  const call = (...ids: string[]) => ({
    ...{ role: "assistant", content: null },
    tool_calls: ids.map((id) => ({ id, type: "function", function: { name: "look", arguments: "{}" } })),
  });
  const answer = (id: string) => ({ role: "tool", tool_call_id: id, content: "there" });
  const request = (...messages: object[]) => ({ model: "gpt-6-sol", messages });
  const refused = (body: object) => judge(chatSchema, CHAT_RULES, body).refused?.rule ?? null;

  it("accepts calls with their results in any order, and instructions anywhere", () => {
    const developer = { role: "developer", content: "Be short." };
    expect(refused(request(developer, hello, developer, call("a", "b"), answer("b"), answer("a"), hello))).toBe(null);
  });

  const broken: Record<NameOf<typeof CHAT_RULES>, object> = {
    shape: { ...request(hello), tools: [] },
    "a tool message answers a call before it": request(hello, answer("a")),
    "every call is answered before anything else is said": request(hello, call("a", "b"), answer("a"), hello),
    "the assistant said something or called something": request(hello, { role: "assistant", content: null }, hello),
  };
  it.each(Object.entries(broken))("refuses: %s", (rule, body) => expect(refused(body)).toBe(rule));
});

describe("Responses", () => {
  const hello = { role: "user", content: "Hello" };
  const reasoning = (step: number, more: object = { encrypted_content: "…" }) => ({
    ...{ type: "reasoning", id: `rs_${step}`, summary: [], ...more },
  });
  const call = (step: number) => ({
    ...{ type: "function_call", id: `fc_${step}_0`, call_id: `c${step}`, name: "look", arguments: "{}" },
  });
  const output = (step: number) => ({ type: "function_call_output", call_id: `c${step}`, output: "there" });
  const request = (...input: object[]) => ({ model: "gpt-6-sol", store: false, input });
  const refused = (body: object) => judge(responsesSchema, RESPONSES_RULES, body).refused?.rule ?? null;

  it("accepts calls with their outputs and their reasoning", () => {
    expect(refused(request(hello, reasoning(1), call(1), output(1), hello))).toBe(null);
  });

  const broken: Record<NameOf<typeof RESPONSES_RULES>, object> = {
    shape: request({ ...hello, id: "made-up" }),
    "an output has its call before it": request(hello, output(1)),
    "a call has its output": request(hello, reasoning(1), call(1), hello),
    "reasoning has the item behind it that it was made with": request(hello, reasoning(1), hello),
    "what was made with reasoning has it before it": request(hello, call(1), output(1)),
    "a model that does not think seals no thoughts": {
      ...request(hello),
      ...{ model: "gpt-4.1", include: ["reasoning.encrypted_content"] },
    },
    "reasoning brings its content, since nothing is stored": request(hello, reasoning(1, {}), call(1), output(1)),
  };
  it.each(Object.entries(broken))("refuses: %s", (rule, body) => expect(refused(body)).toBe(rule));
});

describe("vendors that speak Chat Completions and ask for more", () => {
  const hello = { role: "user" as const, content: "Hello" };
  const step = (answer: typeof deepseekAnswer) => {
    const made = answer(
      { model: "m", messages: [hello] },
      { calls: [{ name: "look", input: {} }], text: "" },
      "1",
      new PrefixMeter(),
    );
    return (made as { choices: { message: Record<string, unknown> & { tool_calls: { id: string }[] } }[] }).choices[0]!
      .message;
  };
  const request = ({ tool_calls: calls, ...message }: ReturnType<typeof step>, more: object = {}) => ({
    model: "m",
    messages: [
      hello,
      { ...message, tool_calls: calls },
      { role: "tool", tool_call_id: calls[0]!.id, content: "there" },
    ],
    ...more,
  });
  const deepseek = (body: object) => judge(deepseekSchema, DEEPSEEK_RULES, body).refused?.rule ?? null;
  const gemini = (body: object) => judge(geminiSchema, GEMINI_RULES, body).refused?.rule ?? null;

  it("DeepSeek rejects calls without their thinking, or with other thinking", () => {
    const said = step(deepseekAnswer);
    const { reasoning_content: _, ...less } = said;
    expect(deepseek(request(said))).toBe(null);
    expect(deepseek(request(less))).toBe("a message with calls brings what was thought");
    expect(deepseek(request({ ...said, reasoning_content: "" }))).toBe("a message with calls brings what was thought");
    expect(deepseek(request(step(geminiAnswer)))).toBe("shape");
  });

  it("Gemini refuses the first call of a step without its signature, in this turn and not in earlier ones", () => {
    const said = step(geminiAnswer);
    const less = {
      ...said,
      tool_calls: said.tool_calls.map(({ id, ...call }) => ({ id, ...call, extra_content: undefined })),
    };
    expect(gemini(request(said))).toBe(null);
    expect(gemini(request(less))).toBe("the first call of a step brings its signature");
    const later = request(less);
    expect(gemini({ ...later, messages: [...later.messages, { role: "assistant", content: "So." }, hello] })).toBe(
      null,
    );
    expect(gemini(request(step(deepseekAnswer)))).toBe("shape");
  });
});

describe("the parts of a request besides its body", () => {
  const json = { "content-type": "application/json" };
  const refused = (rules: readonly HeaderRule[], headers: Record<string, string>) =>
    rules.find(({ problem }) => problem(headers) !== null)?.name ?? null;

  it.each([
    ["Messages", MESSAGES_HEADERS, { ...json, "x-api-key": "k", "anthropic-version": "2023-06-01" }],
    ["OpenAI", OPENAI_HEADERS, { ...json, authorization: "Bearer k" }],
  ] as const)("%s refuses a request that has one header less", (_, rules, headers: Record<string, string>) => {
    expect(refused(rules, headers)).toBe(null);
    const without = Object.keys(headers).map((name) => refused(rules, { ...headers, [name]: "" }));
    expect(without.sort()).toEqual(rules.map(({ name }) => name).sort());
  });

  it("the server checks both in a request, and reports the rule", async () => {
    const vendor = await startVendor({ asksKey: true });
    const send = async (headers: Record<string, string>, body: object) => {
      const init = { method: "POST", headers: { ...json, ...headers }, body: JSON.stringify(body) };
      return (await fetch(`${vendor.url}/v1/chat/completions`, init)).status;
    };
    const body = { model: "m", messages: [{ role: "user", content: "Hello" }] };
    const key = { authorization: "Bearer k" };
    expect([await send({}, body), await send(key, { ...body, n: 0 }), await send(key, body)]).toEqual([401, 400, 200]);
    expect(vendor.refusals.map(({ rule }) => rule)).toEqual(["a key", "shape"]);
    await vendor.close();
  });
});

describe("the meter", () => {
  it("reads the longest beginning that was sent before, in steps of 128 tokens", () => {
    const meter = new PrefixMeter();
    const [long, other] = [{ text: "a".repeat(8_000) }, { text: "b".repeat(8_000) }];
    expect(meter.read([long]).cached).toBe(0);
    expect(meter.read([long, other])).toEqual({ input: 4_006, cached: 1_920 });
    expect(meter.read([other, long]).cached).toBe(0);
    expect(meter.read([{ text: `${"a".repeat(6_000)}c` }]).cached).toBe(1_408);
    expect(meter.read([{ text: "a".repeat(3_000) }]).cached).toBe(0);
  });
});
