// Output of a model is sent back to it unchanged, in the same and later turns, even if the front end only displays text and calls:
// reasoning with signatures, redacted reasoning, citations, vendor-specific fields. Cache markers of the caller are preserved as well.

import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Stage } from "../../support/clients/stage";

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
  for (const name of ["deepseek", "gemini"]) {
    const entry = { api: ["openai-chat"], base_url: `${stage.vendor.url}/${name}`, model: name, scope: "gateway" };
    await stage.gateway.send("PUT", `/api/v1/models/${name}`, entry);
  }
});
afterAll(() => stage.close());
beforeEach(() => stage.reset());

const load = { name: "load_skill", input: { skill_name: "harbour" } };
const own = { name: "get_time", input: {} };
const SCHEMA = { type: "object" as const, properties: {} };
/** Two turns: a load beside the caller's call, the caller's call alone, and once more in the second turn. */
const plan = () => stage.vendor.plan.push([load, own], [own], [], [own], []);

const lastSent = () => JSON.parse(stage.vendor.bodies.at(-1)!) as { messages: { role: string; content: unknown }[] };

describe.each([
  { name: "gpt-6-sol", field: null },
  { name: "deepseek", field: "reasoning_content" },
  { name: "gemini", field: "extra_content" },
])("Chat Completions of $name", ({ name, field }) => {
  it("receives its own text, although the front end stores only texts and calls", async () => {
    const { baseURL, key } = await stage.user("openai-chat");
    const openai = new OpenAI({ apiKey: key, baseURL, maxRetries: 0 });
    const tools = [{ type: "function" as const, function: { name: "get_time", parameters: SCHEMA } }];
    const messages: OpenAI.ChatCompletionMessageParam[] = [];
    plan();
    for (const say of ["Report, please.", "And now?"]) {
      messages.push({ role: "user", content: say });
      for (;;) {
        const stream = openai.chat.completions.stream({ model: name, messages, tools });
        const { content, tool_calls: calls = [] } = await stream.finalMessage();
        const bare = calls.flatMap((call) =>
          call.type === "function"
            ? [
                {
                  id: call.id,
                  type: call.type,
                  function: { name: call.function.name, arguments: call.function.arguments },
                },
              ]
            : [],
        );
        messages.push({ role: "assistant", content, ...(bare.length === 0 ? {} : { tool_calls: bare }) });
        if (bare.length === 0) break;
        for (const { id } of bare) messages.push({ role: "tool", tool_call_id: id, content: "noon" });
      }
    }
    expect(stage.vendor.refusals).toEqual([]);
    const written = stage.vendor.answers.slice(0, -1) as { choices: { message: object }[] }[];
    const back = lastSent().messages.filter(({ role }) => role === "assistant");
    expect(written).toHaveLength(4);
    // A stream cannot express a missing text.
    const texts = (message: object) => JSON.parse(JSON.stringify(message).replace('"content":""', '"content":null'));
    expect(back.map(texts)).toEqual(written.map(({ choices }) => choices[0]!.message));
    for (const message of field === null ? [] : back) expect(JSON.stringify(message)).toContain(`"${field}"`);
  });
});

describe("Messages", () => {
  const tools = [{ name: "get_time", input_schema: SCHEMA }];
  const tides: Anthropic.DocumentBlockParam = {
    type: "document",
    source: { type: "text", media_type: "text/plain", data: "Tide at noon." },
    ...{ title: "Tides", citations: { enabled: true } },
  };
  const isShown = ({ type }: { type: string }) => type === "text" || type === "tool_use";

  it.each([
    ["that sends all back", (block: Anthropic.ContentBlock) => [block as Anthropic.ContentBlockParam]],
    [
      "that keeps only texts and calls",
      (block: Anthropic.ContentBlock): Anthropic.ContentBlockParam[] => {
        if (block.type === "text") return [{ type: "text", text: block.text }];
        const { type, id, name, input } = block as Anthropic.ToolUseBlock;
        return isShown(block) ? [{ type, id, name, input }] : [];
      },
    ],
  ])("has its thoughts, sealed or not, its citations and its calls from a front end %s", async (_, kept) => {
    const { baseURL, key, model } = await stage.user("anthropic");
    const anthropic = new Anthropic({ apiKey: key, baseURL, maxRetries: 0 });
    const messages: Anthropic.MessageParam[] = [];
    plan();
    for (const say of ["Report, please.", "And now?"]) {
      messages.push({ role: "user", content: [tides, { type: "text", text: say }] });
      for (;;) {
        const asked = { model, max_tokens: 9_999, messages, tools };
        const { content, stop_reason } = await anthropic.messages.stream(asked).finalMessage();
        messages.push({ role: "assistant", content: content.flatMap(kept) });
        if (stop_reason !== "tool_use") break;
        const results = content.flatMap((block) =>
          block.type === "tool_use" ? [{ type: "tool_result" as const, tool_use_id: block.id, content: "noon" }] : [],
        );
        messages.push({ role: "user", content: results });
      }
    }
    expect(stage.vendor.refusals).toEqual([]);
    const written = stage.vendor.answers.slice(0, -1) as { content: object[] }[];
    const back = lastSent().messages.filter(({ role }) => role === "assistant");
    expect(back.map(({ content }) => JSON.stringify(content))).toEqual(
      written.map(({ content }) => JSON.stringify(content)),
    );
    const all = JSON.stringify(back);
    for (const what of ["redacted_thinking", "char_location", '"caller"']) expect(all).toContain(what);
  });

  it("has the marks for its cache as the caller set them, and then none of ours", async () => {
    const { baseURL, key, model } = await stage.user("anthropic");
    const anthropic = new Anthropic({ apiKey: key, baseURL, maxRetries: 0 });
    const mark = { cache_control: { type: "ephemeral" as const, ttl: "1h" as const } };
    const system = [{ type: "text" as const, text: "Be short.", ...mark }];
    const marked = [{ role: "user" as const, content: [{ type: "text" as const, text: "Report, please.", ...mark }] }];
    stage.vendor.plan.push([load], []);
    await anthropic.messages.create({ model, max_tokens: 9_999, system, tools, messages: marked });
    const marksIn = (body: string) => [...body.matchAll(/"cache_control":(\{[^}]*\})/g)].map(([, found]) => found);
    for (const body of stage.vendor.bodies) {
      const sent = JSON.parse(body) as { system: object[]; messages: object[] };
      expect([sent.system.at(-1), sent.messages[0]]).toEqual([system[0], marked[0]]);
      expect(marksIn(body)).toEqual([JSON.stringify(mark.cache_control), JSON.stringify(mark.cache_control)]);
    }
    expect(stage.vendor.bodies).toHaveLength(2);
  });
});
