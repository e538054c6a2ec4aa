// How the adapters handle unusual answers: text before a call, an incomplete call, an answer to be parsed.

import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withSkills as anthropicWithSkills } from "../../sdk/src/anthropic";
import { type ChatOptions, SkillGateway } from "../../sdk/src/index";
import { withSkills as openaiWithSkills } from "../../sdk/src/openai";
import { Harness, KEY } from "../support/harness";
import { streamed } from "../support/vendors/stream";

const gateway = new Harness();
let chats = 0;

beforeAll(async () => {
  await gateway.start();
  await gateway.publish({ name: "harbour", description: "Reports.", body: "Sign every report with Aye." });
});
afterAll(() => gateway.close());

/** A chat whose tool calls are recorded. */
function skills(options: ChatOptions = {}) {
  const usages: unknown[] = [];
  const overheard: typeof fetch = (url, init) => {
    if (String(url).endsWith("/tool-calls")) usages.push((JSON.parse(String(init?.body)) as { usage: unknown }).usage);
    return fetch(url, init);
  };
  const client = new SkillGateway({ url: gateway.url, key: KEY, fetch: overheard });
  return { chat: client.chat(`answers-${++chats}`, { user: "alice", ...options }), usages };
}

/** A vendor that returns these answers to any request. */
function vendor(answers: object[]) {
  const bodies: { tools?: unknown[]; [field: string]: unknown }[] = [];
  const answer: typeof fetch = async (url, init) => {
    const asked: unknown = JSON.parse(String(init?.body));
    bodies.push(asked as (typeof bodies)[number]);
    const next = answers.shift();
    if (next === undefined) throw new Error("no more answers");
    const stream = streamed(new URL(String(url)).pathname, asked, next);
    return stream === null
      ? Response.json(next)
      : new Response(stream, { headers: { "content-type": "text/event-stream" } });
  };
  return { bodies, fetch: answer };
}

const TIDES = { skill_name: "harbour" };

/** For each API: a step with text and a call, an end, and a cut answer; and a caller that stores what it receives. */
interface Words {
  step(n: number): object;
  end(n: number): object;
  cut(): object;
  /** Sends a request and returns what a caller receives. */
  ask(
    fetch: typeof globalThis.fetch,
    chat: ReturnType<typeof skills>["chat"],
    history: object[],
    stream: boolean,
  ): Promise<Seen>;
  usage(steps: number): object;
}
interface Seen {
  text: string;
  calls: string[];
  given: object[];
  usage: unknown;
}

const chatUsage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 };
const completion = (message: object, finish_reason: string) => ({
  ...{ id: "chatcmpl_1", object: "chat.completion", created: 0, model: "gpt-6-sol", usage: chatUsage },
  choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason, logprobs: null }],
});
const completions: Words = {
  step: (n) =>
    completion(
      {
        content: `Looking ${n}. `,
        tool_calls: [
          { id: `call_${n}`, type: "function", function: { name: "load_skill", arguments: JSON.stringify(TIDES) } },
        ],
      },
      "tool_calls",
    ),
  end: (n) => completion({ content: `Done ${n}.` }, "stop"),
  cut: () =>
    completion(
      {
        content: "Looking. ",
        tool_calls: [{ id: "call_x", type: "function", function: { name: "load_skill", arguments: '{"skill' } }],
      },
      "length",
    ),
  async ask(fetch, chat, history, stream) {
    const openai = openaiWithSkills(new OpenAI({ apiKey: "none", fetch, maxRetries: 0 }), chat);
    const body = { model: "gpt-6-sol", messages: history as OpenAI.ChatCompletionMessageParam[] };
    if (!stream) {
      const { choices, usage } = await openai.chat.completions.create(body);
      const { content, tool_calls = [] } = choices[0]!.message;
      return { text: content ?? "", calls: tool_calls.map(({ id }) => id), given: [choices[0]!.message], usage };
    }
    let text = "";
    let usage: unknown;
    const calls: string[] = [];
    const options = { include_usage: true };
    for await (const chunk of await openai.chat.completions.create({
      ...body,
      stream: true,
      stream_options: options,
    })) {
      text += chunk.choices[0]?.delta.content ?? "";
      calls.push(...(chunk.choices[0]?.delta.tool_calls ?? []).map(({ id }) => id ?? ""));
      usage = chunk.usage ?? usage;
    }
    return { text, calls, given: [{ role: "assistant", content: text }], usage };
  },
  usage: (steps) => ({ prompt_tokens: 10 * steps, completion_tokens: 2 * steps, total_tokens: 12 * steps }),
};

const response = (n: number | string, output: object[], status = "completed") => ({
  ...{ id: `resp_${n}`, object: "response", created_at: 0, model: "gpt-6-sol", status, output },
  usage: { input_tokens: 10, output_tokens: 2, total_tokens: 12 },
});
const saidItem = (n: number | string, text: string) => ({
  ...{ type: "message", id: `msg_${n}`, role: "assistant", status: "completed" },
  content: [{ type: "output_text", text, annotations: [] }],
});
const thought = (n: number) => ({ type: "reasoning", id: `rs_${n}`, summary: [], encrypted_content: `sealed ${n}` });
const callItem = (n: number | string, text: string) => ({
  ...{ type: "function_call", id: `fc_${n}`, call_id: `call_${n}`, name: "load_skill", arguments: text },
  status: "completed",
});
const responses: Words = {
  step: (n) => response(n, [saidItem(`${n}a`, `Looking ${n}. `), thought(n), callItem(n, JSON.stringify(TIDES))]),
  end: (n) => response(`${n}e`, [saidItem(`${n}e`, `Done ${n}.`)]),
  cut: () => response("x", [saidItem("x", "Looking. "), callItem("x", '{"skill')], "incomplete"),
  async ask(fetch, chat, history, stream) {
    const openai = openaiWithSkills(new OpenAI({ apiKey: "none", fetch, maxRetries: 0 }), chat);
    const body = { model: "gpt-6-sol", input: history as OpenAI.Responses.ResponseInputItem[] };
    if (stream) {
      let text = "";
      const runner = openai.responses.stream(body);
      runner.on("response.output_text.delta", ({ delta }) => {
        text += delta;
      });
      const { output, usage } = await runner.finalResponse();
      const given = JSON.parse(JSON.stringify(output)) as object[];
      return {
        text,
        calls: output.filter(({ type }) => type === "function_call").map(({ id }) => id ?? ""),
        given,
        usage,
      };
    }
    const { output, output_text, usage } = await openai.responses.create(body);
    const calls = output.filter(({ type }) => type === "function_call").map(({ id }) => id ?? "");
    return { text: output_text, calls, given: output, usage };
  },
  usage: (steps) => ({ input_tokens: 10 * steps, output_tokens: 2 * steps, total_tokens: 12 * steps }),
};

const message = (content: object[], stop_reason: string) => ({
  ...{ id: "msg_1", type: "message", role: "assistant", model: "claude-opus-5-5", content, stop_reason },
  ...{ stop_sequence: null, usage: { input_tokens: 10, output_tokens: 1 } },
});
const use = (n: number | string) => ({ type: "tool_use", id: `toolu_${n}`, name: "load_skill", input: TIDES });
const text = (said: string) => ({ type: "text", text: said, citations: null });
const anthropic: Words = {
  step: (n) => message([text(`Looking ${n}. `), use(n)], "tool_use"),
  end: (n) => message([text(`Done ${n}.`)], "end_turn"),
  cut: () => message([text("Looking. "), use("x")], "max_tokens"),
  async ask(fetch, chat, history, stream) {
    const client = anthropicWithSkills(new Anthropic({ apiKey: "none", fetch, maxRetries: 0 }), chat);
    const body = { model: "claude-opus-5-5", max_tokens: 100, messages: history as Anthropic.MessageParam[] };
    const { content, usage } = await (stream
      ? client.messages.stream(body).finalMessage()
      : client.messages.create(body));
    const calls = content.flatMap((block) => (block.type === "tool_use" ? block.id : []));
    const said = content.map((block) => (block.type === "text" ? block.text : "")).join("");
    return { text: said, calls, given: [{ role: "assistant", content }], usage };
  },
  usage: (steps) => ({ input_tokens: 10 * steps, output_tokens: steps }),
};

describe.each([
  ["completions, streamed", completions, true],
  ["completions, whole", completions, false],
  ["responses, streamed", responses, true],
  ["responses, whole", responses, false],
  ["anthropic, streamed", anthropic, true],
  ["anthropic, whole", anthropic, false],
])("%s", (_, words, stream) => {
  it("has the model's text before a call in the history once, and reports the usage of each step", async () => {
    const { chat, usages } = skills();
    const { bodies, fetch } = vendor([words.step(1), words.step(2), words.end(1), words.end(2)]);
    const history: object[] = [{ role: "user", content: "How is the tide?" }];
    const first = await words.ask(fetch, chat, history, stream);
    expect(first).toMatchObject({
      text: stream ? "Looking 1. Looking 2. Done 1." : "Done 1.",
      calls: [],
      usage: words.usage(3),
    });
    expect(usages).toEqual([words.usage(1), words.usage(1)].map((usage) => expect.objectContaining(usage)));
    history.push(...first.given, { role: "user", content: "And tomorrow?" });
    expect(await words.ask(fetch, chat, history, stream)).toMatchObject({ text: "Done 2." });
    for (const said of ["Looking 1. ", "Looking 2. ", "Done 1."])
      expect([said, JSON.stringify(bodies[3]).split(said).length - 1]).toEqual([said, 1]);
    expect(JSON.stringify(bodies[3])).not.toMatch(/skill_(?:step|append|outage)/);
  });

  it("continues from a copied history", async () => {
    const { chat } = skills();
    const { bodies, fetch } = vendor([words.step(1), words.end(1), words.end(2)]);
    const question = { role: "user", content: "How is the tide?" };
    const first = await words.ask(fetch, chat, [question], stream);
    expect(first.calls).toEqual([]);
    const next = { role: "user", content: "And tomorrow?" };
    await words.ask(fetch, chat, [question, ...first.given, next], stream);
    // It contains no incomplete pair: neither a call without result nor thinking without its call.
    expect(JSON.stringify(bodies[2])).not.toMatch(/"type":"reasoning"|call_1|toolu_1/);
  });

  it("shows no call of the gateway's in an answer that was cut", async () => {
    const { fetch } = vendor([words.cut()]);
    const seen = await words.ask(fetch, skills().chat, [{ role: "user", content: "How is the tide?" }], stream);
    expect(seen).toMatchObject({ text: "Looking. ", calls: [] });
  });
});

describe("parse of the SDKs", () => {
  const schema = { type: "object", properties: { tide: { type: "string" } }, additionalProperties: false } as const;

  it("has skills with Chat Completions and Responses", async () => {
    const { fetch } = vendor([
      completions.step(1),
      completion({ content: '{"tide":"high"}' }, "stop"),
      responses.step(2),
      response("p", [saidItem("p", '{"tide":"low"}')]),
    ]);
    const openai = openaiWithSkills(new OpenAI({ apiKey: "none", fetch, maxRetries: 0 }), skills().chat);
    const messages = [{ role: "user" as const, content: "How is the tide?" }];
    const format = { type: "json_schema" as const, json_schema: { name: "tide", schema, strict: true } };
    const { choices } = await openai.chat.completions.parse({ model: "gpt-6-sol", messages, response_format: format });
    expect(choices[0]?.message.content).toBe('{"tide":"high"}');
    const body = { model: "gpt-6-sol", input: [{ role: "user" as const, content: "And now?" }] };
    const { output_text } = await openai.responses.parse(body);
    expect(output_text).toBe('{"tide":"low"}');
  });

  it("has skills with Messages", async () => {
    const { fetch } = vendor([anthropic.step(1), message([text('{"tide":"high"}')], "end_turn")]);
    const client = anthropicWithSkills(new Anthropic({ apiKey: "none", fetch, maxRetries: 0 }), skills().chat);
    const messages = [{ role: "user" as const, content: "How is the tide?" }];
    const asked = { model: "claude-opus-5-5", max_tokens: 100, messages };
    const { parsed_output } = await client.messages.parse({
      ...asked,
      output_config: {
        format: { type: "json_schema", schema, parse: (content: string) => JSON.parse(content) as unknown },
      },
    });
    expect(parsed_output).toEqual({ tide: "high" });
  });
});

describe("the Responses API", () => {
  const client = (fetch: typeof globalThis.fetch) =>
    openaiWithSkills(new OpenAI({ apiKey: "none", fetch, maxRetries: 0 }), skills().chat);

  it.each([{ previous_response_id: "resp_1" }, { conversation: "conv_1" }, { background: true }])(
    "is refused where the history is the vendor's: %j",
    async (more) => {
      const { bodies, fetch } = vendor([]);
      const asked = client(fetch).responses.create({ model: "gpt-6-sol", input: "Hello", ...more });
      await expect(asked).rejects.toThrow(
        `Stored responses are not supported with skills. Send the whole history as \`input\`, and remove ${Object.keys(more)[0]}.`,
      );
      expect(bodies).toEqual([]);
    },
  );

  it("accepts a text as input, and does not change the caller's object", async () => {
    const { bodies, fetch } = vendor([responses.step(1), responses.end(1)]);
    const body = { model: "gpt-6-sol", input: "How is the tide?" };
    const { output_text, output } = await client(fetch).responses.create(body);
    expect(output_text).toBe("Done 1.");
    expect(output).toHaveLength(1);
    expect(body).toEqual({ model: "gpt-6-sol", input: "How is the tide?" });
    // Thinking blocks and their results are sent back unchanged.
    expect(bodies[1]?.input).toEqual(expect.arrayContaining([thought(1), callItem(1, JSON.stringify(TIDES))]));
  });

  it("works unchanged in a client without skills", () => {
    const old = { chat: { completions: { create: () => null } } };
    expect(Object.keys(openaiWithSkills(old, skills().chat))).toEqual(["chat"]);
  });
});

it("skills stay where the client is given other options", async () => {
  const { bodies, fetch } = vendor([completions.end(1), responses.end(2), anthropic.end(3)]);
  const openai = openaiWithSkills(new OpenAI({ apiKey: "none", fetch, maxRetries: 0 }), skills().chat);
  const later = openai.withOptions({ timeout: 60_000 });
  expect(later.timeout).toBe(60_000);
  const messages = [{ role: "user" as const, content: "Hello" }];
  await later.chat.completions.create({ model: "gpt-6-sol", messages });
  await later.responses.create({ model: "gpt-6-sol", input: "Hello again" });
  const client = anthropicWithSkills(new Anthropic({ apiKey: "none", fetch, maxRetries: 0 }), skills().chat);
  await client.withOptions({ timeout: 60_000 }).messages.create({ model: "claude-opus-5-5", max_tokens: 9, messages });
  for (const { tools } of bodies) expect(JSON.stringify(tools)).toContain("load_skill");
  expect(bodies).toHaveLength(3);
});
