// OpenAI's SDK and its helpers with the Responses API. They check streams, and the scripted vendor rejects the same items as the real one:
// a call without its output, reasoning without the item that follows it, and the reverse.

import OpenAI from "openai";
import { zodResponsesFunction } from "openai/helpers/zod";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import * as z from "zod";
import { Harness } from "../../support/harness";
import { startVendor, type Vendor } from "../../support/vendors/server";

const TURNS = 20;
const SKILLS = ["tides", "winds", "boats"];
const load = (name: string) => ({ name: "load_skill", input: { skill_name: name } });
const read = (name: string) => ({ name: "read_skill", input: { skill_name: name } });
const own = { name: "get_time", input: {} };

type Input = OpenAI.Responses.ResponseInputItem;
type Tool = OpenAI.Responses.FunctionTool;
const tools: Tool[] = [
  { type: "function", name: "get_time", parameters: { type: "object", properties: {} }, strict: false },
];
const say = (content: string): Input => ({ role: "user", content });

let vendor: Vendor;
let gateway: Harness;
let openai: OpenAI;

beforeAll(async () => {
  vendor = await startVendor();
  gateway = new Harness({ MODEL_HOSTS: vendor.url });
  await gateway.start();
  for (const name of SKILLS)
    await gateway.publish({
      ...{ name, description: `Knows of ${name}.` },
      body: `Look at the ${name}.\n\n${"Watch the harbour well. ".repeat(300)}`,
    });
  for (const [name, model] of [
    ["thinker", "gpt-6-sol"],
    ["plain", "gpt-4.1"],
  ]) {
    const entry = { api: ["openai-responses", "openai-chat"], base_url: `${vendor.url}/v1`, model, scope: "gateway" };
    await gateway.send("PUT", `/api/v1/models/${name}`, entry);
  }
  const made = await gateway.send("POST", "/api/v1/keys", { user_id: "ada", scopes: ["chat"] });
  const { key } = (await made.json()) as { key: string };
  openai = new OpenAI({ apiKey: key, baseURL: `${gateway.url}/openai/v1`, maxRetries: 0 });
});
beforeEach(() => {
  vendor.bodies.length = 0;
  vendor.plan.length = 0;
});
afterAll(async () => {
  await gateway.close();
  await vendor.close();
});

/** Plans a turn: loads, reads, calls of the caller's tool, and combinations, before the model answers with text. */
function planOf(turn: number) {
  const name = SKILLS[turn % SKILLS.length]!;
  if (turn % 5 === 1) return [[load(name)], [read(name), own]];
  if (turn % 5 === 3) return [[own]];
  if (turn % 5 === 4) return [[own, read(name)]];
  return turn % 2 === 0 ? [[load(name)]] : [];
}

const outputsOf = (output: readonly OpenAI.Responses.ResponseOutputItem[]): Input[] =>
  output.flatMap((item) =>
    item.type === "function_call" ? [{ type: "function_call_output", call_id: item.call_id, output: "noon" }] : [],
  );

/** Each request to the vendor begins with the previous request. */
function expectGrowth(): void {
  const parts = vendor.bodies.map((text) => {
    const { instructions, tools: sent, input } = JSON.parse(text) as Record<string, object[]>;
    return [JSON.stringify([instructions, sent]), ...input!.map((one) => JSON.stringify(one))];
  });
  for (const [index, part] of parts.entries()) {
    const before = parts[index - 1] ?? [];
    expect([index, part.slice(0, before.length)]).toEqual([index, before]);
  }
}

// How SDKs and front ends send an answer back: complete, as item ids, or without reasoning.
const BACK: Record<string, (response: OpenAI.Responses.Response) => Input[]> = {
  "as its items": ({ output }) => output as Input[],
  "by the ids of its items": ({ output }) => output.map(({ id }) => ({ type: "item_reference", id: String(id) })),
  "without its thoughts": ({ output }) => output.filter(({ type }) => type !== "reasoning") as Input[],
};

it.each(Object.keys(BACK))("accepts every request of twenty turns, if an answer comes back %s", async (way) => {
  const input: Input[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    input.push(say(`Turn ${turn}, ${way}.`));
    vendor.plan.push(...planOf(turn), []);
    for (;;) {
      const stream = openai.responses.stream({ model: "thinker", instructions: "Be short.", input, tools });
      const response = await stream.finalResponse();
      expect(response.status).toBe("completed");
      expect(response.output.every((item) => item.type !== "function_call" || item.name === "get_time")).toBe(true);
      input.push(...BACK[way]!(response), ...outputsOf(response.output));
      if (outputsOf(response.output).length === 0) break;
    }
  }
  expect(vendor.refusals).toEqual([]);
  expect(vendor.bodies.length).toBeGreaterThan(TURNS * 1.5);
  expectGrowth();
});

it("requests encrypted reasoning, sends it back unchanged, and returns it if requested", async () => {
  vendor.plan.push([load("tides")], []);
  const first = await openai.responses.create({ model: "thinker", input: "Tell me of tides." });
  expect(first.output.map(({ type }) => type)).toEqual(["reasoning", "message"]);
  expect(first.output[0]).not.toHaveProperty("encrypted_content");
  expect(first.output_text).toMatch(/^Said in step/);
  const [, second] = vendor.bodies.map((text) => JSON.parse(text));
  expect(second).toMatchObject({ store: false, include: ["reasoning.encrypted_content"] });
  const types = second.input.map(({ type, role }: { type?: string; role?: string }) => type ?? role);
  expect(types).toEqual(["system", "user", "reasoning", "function_call", "function_call_output"]);
  expect(second.input[2].encrypted_content).toMatch(/^thoughts of step/);
  const include = ["reasoning.encrypted_content" as const];
  const sealed = await openai.responses.create({ model: "thinker", input: "More.", include, store: false });
  expect(sealed.output[0]).toMatchObject({ encrypted_content: expect.stringMatching(/^thoughts/) });
});

it("works with a model without encrypted reasoning, and sends the failing request once only", async () => {
  for (const count of [2, 1]) {
    vendor.bodies.length = 0;
    const answer = await openai.responses.create({ model: "plain", input: "Hello." });
    expect(answer.output.map(({ type }) => type)).toEqual(["message"]);
    expect(vendor.bodies).toHaveLength(count);
  }
  vendor.refusals.length = 0;
});

it("parses the arguments of the caller's call", async () => {
  vendor.plan.push([load("winds")], [own]);
  const timed = zodResponsesFunction({ name: "get_time", parameters: z.object({}) });
  const answer = await openai.responses.parse({ model: "thinker", input: "Winds, please.", tools: [timed] });
  expect(answer.output.at(-1)).toMatchObject({ type: "function_call", name: "get_time", parsed_arguments: {} });
});

it("receives errors in the vendor's format; a late error ends the stream with it", async () => {
  const asked = { model: "thinker", input: "Hello." };
  await expect(openai.responses.create({ ...asked, previous_response_id: "resp_1" })).rejects.toMatchObject({
    ...{ status: 400, code: "unsupported_parameter", param: "previous_response_id" },
  });
  await expect(openai.responses.create({ ...asked, model: "none" })).rejects.toMatchObject({
    ...{ status: 404, code: "model_not_found" },
  });
  await expect(openai.responses.retrieve("resp_1")).rejects.toMatchObject({ status: 404 });
});
