// The adapter of the AI SDK in both its versions, over their own protocol.

import { createAnthropic } from "@ai-sdk/anthropic";
import * as ai7 from "ai";
import * as ai6 from "ai-6";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { aiSdk, toolNameOf } from "../../sdk/src/ai-sdk";
import { type ChatOptions, SkillGateway } from "../../sdk/src/index";
import { Harness, KEY } from "../support/harness";
import { type AiVendor, startAiVendor } from "../support/sdk/ai-vendor";
import { Flaky } from "../support/sdk/flaky";
import { startVendor } from "../support/vendors/server";

const gateway = new Harness();
const line = new Flaky(() => gateway.url);
let vendor: AiVendor;
let chats = 0;

const ORDER = "Sign every report with Aye.";
const LOAD = { name: "load_skill", input: { skill_name: "harbour" } };
const READ = { name: "read_skill", input: { skill_name: "harbour", file_path: "tides.md" } };
const OWN = { name: "get_time", input: {} };
const WRONG = { name: "load_skill", input: { skill_name: "nothing-like-it" } };

beforeAll(async () => {
  await gateway.start();
  await line.start();
  const body = `${ORDER}\n\n${"Watch the tide, the wind and the boats. ".repeat(300)}`;
  await gateway.publish({
    name: "harbour",
    description: "Reports.",
    body,
    files: { "tides.md": "High water at noon.\n" },
  });
});
beforeEach(async () => {
  vendor = await startAiVendor();
  line.faults = [];
  line.onRequest = () => {};
});
afterEach(() => vendor.close());
afterAll(async () => {
  await line.stop();
  await gateway.close();
});

const skills = (options: ChatOptions = {}, retries = 3) =>
  new SkillGateway({ url: line.url, key: KEY, retries }).chat(`ai-${++chats}`, { user: "alice", ...options });

interface Said {
  text: string;
  errors: unknown[];
  parts: string[];
  messages: object[];
}

/** One turn as in a chat route; the compiler checks the types of both versions. */
async function with7(
  chat: ReturnType<typeof skills>,
  messages: ai7.ModelMessage[],
  signal?: AbortSignal,
): Promise<Said> {
  const mine = { get_time: ai7.tool({ inputSchema: ai7.jsonSchema({ type: "object" }), execute: async () => "noon" }) };
  const result = ai7.streamText({
    model: ai7.createGateway({ baseURL: vendor.url, apiKey: "none" })("openai/gpt-6-sol"),
    ...(await aiSdk(chat, { messages, tools: mine, system: "Be short.", model: "gpt-6-sol", abortSignal: signal })),
    abortSignal: signal,
    maxRetries: 0,
    onError: () => {},
  });
  const parts: string[] = [];
  const errors: unknown[] = [];
  for await (const part of result.fullStream) {
    parts.push(part.type);
    if (part.type === "error") errors.push(part.error);
  }
  return { parts, errors, text: await result.text, messages: await result.responseMessages };
}

async function with6(
  chat: ReturnType<typeof skills>,
  messages: ai6.ModelMessage[],
  signal?: AbortSignal,
): Promise<Said> {
  const mine = { get_time: ai6.tool({ inputSchema: ai6.jsonSchema({ type: "object" }), execute: async () => "noon" }) };
  const result = ai6.streamText({
    model: ai6.createGateway({ baseURL: vendor.url, apiKey: "none" })("openai/gpt-6-sol"),
    ...(await aiSdk(chat, { messages, tools: mine, system: "Be short.", model: "gpt-6-sol", abortSignal: signal })),
    abortSignal: signal,
    maxRetries: 0,
    onError: () => {},
  });
  const parts: string[] = [];
  const errors: unknown[] = [];
  for await (const part of result.fullStream) {
    parts.push(part.type);
    if (part.type === "error") errors.push(part.error);
  }
  return { parts, errors, text: await result.text, messages: (await result.response).messages };
}

const user = (content: string) => ({ role: "user" as const, content });

describe.each([
  ["ai 7", with7],
  ["ai 6", with6],
] as const)("%s", (_, say) => {
  it("streams, loads a skill, runs calls in parallel, and stores everything for the next turn", async () => {
    const chat = skills();
    const thread: object[] = [user("How is the tide?")];
    vendor.plan.push([LOAD], [READ, OWN], []);
    const first = await say(chat, thread as never);
    expect(first.text).toBe("Said in step 3.");
    // The message is sent with the turn, for a prediction.
    const log = await gateway.send("GET", `/api/v1/conversations/${chat.id}/events`, undefined, "alice");
    expect(await log.text()).toContain('"prediction":');
    expect(first.parts.filter((part) => part === "text-delta")).toHaveLength(2);
    expect(vendor.bodies.map((sent) => sent.includes(ORDER))).toEqual([false, true, true]);
    expect(vendor.bodies[0]).toContain("Be short.");
    expect(vendor.bodies[0]).toContain("Available Skills");
    expect(vendor.bodies[2]).toContain("High water at noon.");
    expect(vendor.bodies[2]).toContain("noon");

    thread.push(...first.messages, user("And tomorrow?"));
    vendor.plan.push([]);
    await say(chat, thread as never);
    expect(vendor.bodies[3]?.split(ORDER)).toHaveLength(2);
    // In the result of its call, and not sent again.
    expect(vendor.bodies[3]).toMatch(/"type":"tool-call"[^}]*"load_skill"/);
  });

  it("shows a call that failed as failed, and the model reads why", async () => {
    vendor.plan.push([WRONG], []);
    const { parts } = await say(skills(), [user("Hello")] as never);
    expect(parts).toContain("tool-error");
    expect(vendor.bodies[1]).toContain("is not available");
  });

  it("leaves the arguments of a skill's tool open", async () => {
    await say(skills(), [user("Hello")] as never);
    const { tools } = JSON.parse(vendor.bodies[0] ?? "") as {
      tools: { name: string; inputSchema: { properties: Record<string, object> } }[];
    };
    const passed = tools.find(({ name }) => name === "call_skill_tool");
    expect(passed?.inputSchema.properties.arguments).not.toMatchObject({ additionalProperties: false });
  });

  it("without a gateway fails, or continues without skills if configured", async () => {
    line.faults = [{ on: /turns/, what: 503 }];
    await expect(say(skills({}, 0), [user("Hello")] as never)).rejects.toMatchObject({ status: 503 });
    line.faults = [{ on: /turns/, what: "refused" }];
    vendor.plan.push([OWN], []);
    expect((await say(skills({ failOpen: true }, 0), [user("Hello")] as never)).text).toBe("Said in step 2.");
    expect(vendor.bodies[0]).not.toContain("load_skill");
    line.faults = [{ on: /tool-calls/, what: 503 }];
    vendor.plan.push([LOAD], []);
    expect((await say(skills({ failOpen: true }, 0), [user("Hello")] as never)).text).toBe("Said in step 4.");
    expect(vendor.bodies[3]).toContain("skills cannot be reached");
  });

  it.each([503, "refused"] as const)("fails closed in the middle of a turn too: %s", async (what) => {
    line.faults = [{ on: /tool-calls/, what }];
    vendor.plan.push([LOAD], []);
    const { parts, errors } = await say(skills({}, 0), [user("Hello")] as never);
    expect(errors).toMatchObject([{ name: "SkillGatewayError" }]);
    expect(parts.at(-1)).toBe("error");
    // The model is not called again with an error instead of its skill.
    expect(vendor.bodies).toHaveLength(1);
  });

  it("survives 429, a lost answer, a cut stream and a gateway that is away between two steps", {
    tags: ["slow"],
  }, async () => {
    line.faults = [
      { on: /turns/, what: 429 },
      { on: /turns/, what: "lost" },
      { on: /tool-calls/, what: "cut" },
      { on: /tool-calls/, what: "refused" },
    ];
    vendor.plan.push([LOAD], []);
    expect((await say(skills(), [user("Hello")] as never)).text).toBe("Said in step 2.");
    expect(vendor.bodies[1]).toContain(ORDER);
  });

  it("stops in the middle of a call when the user leaves", async () => {
    const leave = new AbortController();
    line.onRequest = (path) => path.includes("tool-calls") && leave.abort();
    vendor.plan.push([LOAD]);
    await say(skills(), [user("Hello")] as never, leave.signal).catch(() => {});
    expect(vendor.bodies).toHaveLength(1);
  });
});

it("without a gateway a chat without tools continues at a vendor that rejects calls without tool definitions", async () => {
  const strict = await startVendor();
  try {
    const model = createAnthropic({ baseURL: `${strict.url}/v1`, apiKey: "none" })("claude-opus-5-5");
    const chat = skills({ failOpen: true }, 0);
    const thread: ai7.ModelMessage[] = [user("How is the tide?")];
    const say = async () => {
      const result = ai7.streamText({ model, ...(await aiSdk(chat, { messages: thread })), maxRetries: 0 });
      const text = await result.text;
      thread.push(...(await result.responseMessages));
      return text;
    };
    strict.plan.push([LOAD], []);
    await say();
    thread.push(user("And tomorrow?"));
    line.faults = [
      { on: /turns/, what: 503 },
      { on: /tool-calls/, what: 503 },
    ];
    strict.plan.push([LOAD], []);
    expect(await say()).toBe("Said in step 4.");
    expect(strict.refusals).toEqual([]);
    expect(strict.bodies[3]).toContain("skills cannot be reached");
  } finally {
    await strict.close();
  }
});

it("calls a skill's tool by its own name", () => {
  expect(toolNameOf({ type: "tool-call_skill_tool", input: { name: "draw", arguments: {} } })).toBe("draw");
  expect(toolNameOf({ type: "dynamic-tool", toolName: "load_skill", input: {} })).toBe("load_skill");
  expect(toolNameOf({ type: "tool-get_time" })).toBe("get_time");
});
