// Twenty turns through the gateway. The vendors reject what the real ones reject: a thinking block after a changed message, or a call
// without a result. Also measures what a vendor reads from its cache in each turn.

import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Harness } from "../../support/harness";
import { startVendor, type Vendor } from "../../support/vendors/server";

const TURNS = 20;
const SKILLS = ["tides", "winds", "boats"];
const load = (name: string) => ({ name: "load_skill", input: { skill_name: name } });
const read = (name: string) => ({ name: "read_skill", input: { skill_name: name } });
const own = { name: "get_time", input: {} };
const SCHEMA = { type: "object" as const, properties: {} };

let vendor: Vendor;
let gateway: Harness;
let key: string;

beforeAll(async () => {
  vendor = await startVendor();
  gateway = new Harness({ MODEL_HOSTS: vendor.url });
  await gateway.start();
  for (const name of SKILLS)
    await gateway.publish({
      ...{ name, description: `Knows of ${name}.` },
      body: `Look at the ${name}.\n\n${"Watch the harbour well. ".repeat(300)}`,
    });
  for (const [name, api, base_url] of [
    ["openai", "openai-chat", `${vendor.url}/v1`],
    ["anthropic", "anthropic", vendor.url],
  ])
    await gateway.send("PUT", `/api/v1/models/${name}`, {
      api: [api],
      base_url,
      model: "claude-opus-5-5",
      scope: "gateway",
    });
  const made = await gateway.send("POST", "/api/v1/keys", { user_id: "ada", scopes: ["chat"] });
  key = ((await made.json()) as { key: string }).key;
});
afterAll(async () => {
  await gateway.close();
  await vendor.close();
});

/** Plans the model's actions before its text: loads, reads, calls of the caller's tool, and combinations. */
function planOf(turn: number) {
  const name = SKILLS[turn % SKILLS.length]!;
  if (turn % 5 === 1) return [[load(name)], [read(name), own]];
  if (turn % 5 === 3) return [[own]];
  return turn % 2 === 0 ? [[load(name)]] : [];
}

/** Each request to the vendor begins with the previous request. */
function expectGrowth(): void {
  const parts = vendor.bodies.map((text) => {
    const { system, tools, messages } = JSON.parse(text) as { messages: object[]; system: unknown; tools: unknown };
    return [JSON.stringify([system, tools]), ...messages.map((one) => JSON.stringify(one))];
  });
  for (const [index, part] of parts.entries()) {
    const before = parts[index - 1] ?? [];
    expect([index, part.slice(0, before.length)]).toEqual([index, before]);
  }
}

it("Anthropic accepts every request, with all thinking blocks in their places", async () => {
  const anthropic = new Anthropic({ apiKey: key, baseURL: `${gateway.url}/anthropic`, maxRetries: 0 });
  const tools = [{ name: "get_time", input_schema: SCHEMA }];
  const messages: Anthropic.MessageParam[] = [];
  vendor.bodies.length = 0;
  for (let turn = 0; turn < TURNS; turn++) {
    messages.push({ role: "user", content: `Turn ${turn}.` });
    vendor.plan.push(...planOf(turn), []);
    for (;;) {
      const asked = { model: "anthropic", max_tokens: 9_999, messages, tools };
      const { content, stop_reason } = await anthropic.messages.stream(asked).finalMessage();
      messages.push({ role: "assistant", content });
      if (stop_reason !== "tool_use") break;
      const results = content.flatMap((block) =>
        block.type === "tool_use" ? [{ type: "tool_result" as const, tool_use_id: block.id, content: "noon" }] : [],
      );
      messages.push({ role: "user", content: results });
    }
  }
  expect(vendor.refusals).toEqual([]);
  expect(vendor.bodies.length).toBeGreaterThan(TURNS * 1.5);
  expectGrowth();
});

it("OpenAI accepts every request, and reads everything except new text from its cache", async () => {
  const openai = new OpenAI({ apiKey: key, baseURL: `${gateway.url}/openai/v1`, maxRetries: 0 });
  const tools = [{ type: "function" as const, function: { name: "get_time", parameters: SCHEMA } }];
  const messages: OpenAI.ChatCompletionMessageParam[] = [];
  vendor.bodies.length = 0;
  for (let turn = 0; turn < TURNS; turn++) {
    messages.push({ role: "user", content: `Turn ${turn}.` });
    vendor.plan.push(...planOf(turn), []);
    for (;;) {
      const answer = await openai.chat.completions.create({ model: "openai", messages, tools });
      const { message } = answer.choices[0]!;
      messages.push(message);
      if (message.tool_calls === undefined) break;
      for (const { id } of message.tool_calls) messages.push({ role: "tool", tool_call_id: id, content: "noon" });
    }
  }
  expect(vendor.refusals).toEqual([]);
  expectGrowth();
});
