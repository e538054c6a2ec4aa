// The official SDKs, configured only with URL and key, against the built gateway and its scripted model. They check streams themselves: one
// message, one role, calls numbered from 0, no event after the end.

import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Harness } from "../../support/harness";

const gateway = new Harness({ DEMO_MODEL: "on" });
const PROMPT = "Please use harbour-report, then get_time.";
const SCHEMA = { type: "object" as const, properties: {} };
const hours: string[] = [];

/** A user's own key. */
async function keyOf(user: string): Promise<string> {
  const made = await gateway.send("POST", "/api/v1/keys", { user_id: user, scopes: ["chat"] });
  return ((await made.json()) as { key: string }).key;
}

beforeAll(async () => {
  await gateway.start();
  await gateway.publish({
    name: "harbour-report",
    description: "Writes harbour reports.",
    // Shorter instructions would be preloaded, so nothing would be loaded.
    body: `Sign with Aye.\n\n${"Watch the tide, the wind and the boats. ".repeat(300)}`,
  });
});
afterAll(() => gateway.close());

describe("openai", () => {
  const client = async (user: string) =>
    new OpenAI({ apiKey: await keyOf(user), baseURL: `${gateway.url}/openai/v1`, maxRetries: 0 });
  const tools = [
    { type: "function" as const, function: { name: "get_time", description: "The time.", parameters: SCHEMA } },
  ];
  const say = (content: string) => ({ role: "user" as const, content });

  it("chats, streams, and lists models", async () => {
    const openai = await client("ada");
    const plain = await openai.chat.completions.create({ model: "demo", messages: [say("Hello.")] });
    expect(plain.choices[0]?.message.content).toBe("You said: Hello.");
    const stream = openai.chat.completions.stream({ model: "demo", messages: [say("Use harbour-report.")] });
    const message = await stream.finalMessage();
    expect(message.content).toContain("Sign with Aye.");
    expect(message.tool_calls ?? []).toEqual([]);
    expect((await openai.models.list()).data.map(({ id }) => id)).toContain("demo");
  });

  it("runs its own tools itself, next to those of a skill", async () => {
    const openai = await client("bea");
    const runner = openai.chat.completions.runTools({
      ...{ model: "demo", messages: [say(PROMPT)], stream: true },
      tools: [
        {
          type: "function",
          function: {
            ...{ name: "get_time", description: "The time.", parameters: SCHEMA, parse: JSON.parse },
            function: () => {
              hours.push("noon");
              return "noon";
            },
          },
        },
      ],
    });
    expect(await runner.finalContent()).toContain("The last result: noon");
    expect(hours).toEqual(["noon"]);
    const roles = runner.messages.map(({ role }) => role);
    expect(roles).toEqual(["user", "assistant", "tool", "assistant"]);
  });

  it("continues over turns, regenerates, edits, and receives errors", async () => {
    const openai = await client("cora");
    const ask = async (messages: OpenAI.ChatCompletionMessageParam[]) => {
      const answer = await openai.chat.completions.create({ model: "demo", messages, tools });
      return answer.choices[0]!.message;
    };
    const first = await ask([say("Use harbour-report.")]);
    const again = await ask([say("Use harbour-report.")]);
    expect(again.content).toBe(first.content);
    const second = await ask([say("Use harbour-report."), first, say("Once more, harbour-report.")]);
    expect(second.content).toMatch(/^You said: Once more/);
    const edited = await ask([say("Say nothing of it.")]);
    expect(edited.content).toBe("You said: Say nothing of it.");
    await expect(openai.chat.completions.create({ model: "none", messages: [say("x")] })).rejects.toMatchObject({
      ...{ status: 404, code: "model_not_found" },
    });
  });

  it("ends when its caller does", async () => {
    const openai = await client("dora");
    const stream = openai.chat.completions.stream({ model: "demo", messages: [say("Use harbour-report.")] });
    stream.on("content", () => stream.abort());
    await expect(stream.finalMessage()).rejects.toThrow(OpenAI.APIUserAbortError);
    const next = await openai.chat.completions.create({ model: "demo", messages: [say("Hello.")] });
    expect(next.choices[0]?.message.content).toBe("You said: Hello.");
  });
});

describe("@anthropic-ai/sdk", () => {
  const client = async (user: string) =>
    new Anthropic({ apiKey: await keyOf(user), baseURL: `${gateway.url}/anthropic`, maxRetries: 0 });
  const asked = { model: "demo", max_tokens: 1_000 };
  const say = (content: string) => ({ role: "user" as const, content });

  it("chats, streams, and lists models", async () => {
    const anthropic = await client("eva");
    const plain = await anthropic.messages.create({ ...asked, messages: [say("Hello.")] });
    expect(plain.content.at(-1)).toMatchObject({ type: "text", text: "You said: Hello." });
    const stream = anthropic.messages.stream({ ...asked, messages: [say("Use harbour-report.")] });
    const message = await stream.finalMessage();
    expect(message.content.map(({ type }) => type)).toEqual(["thinking", "thinking", "text"]);
    expect(message.stop_reason).toBe("end_turn");
    expect(message.usage.output_tokens).toBeGreaterThan(0);
    const { data } = await anthropic.models.list();
    expect(data.map(({ id }) => id)).toContain("demo");
  });

  it("returns its own tool's call, and continues with the result", async () => {
    const anthropic = await client("fay");
    const tools = [{ name: "get_time", description: "The time.", input_schema: SCHEMA }];
    const first = await anthropic.messages.stream({ ...asked, tools, messages: [say(PROMPT)] }).finalMessage();
    expect(first.stop_reason).toBe("tool_use");
    const use = first.content.at(-1)!;
    const id = use.type === "tool_use" ? use.id : "";
    const result = { type: "tool_result" as const, tool_use_id: id, content: "noon" };
    const messages = [
      say(PROMPT),
      { role: "assistant" as const, content: first.content },
      { role: "user" as const, content: [result] },
    ];
    const second = await anthropic.messages.create({ ...asked, tools, messages });
    expect(second.content.at(-1)).toMatchObject({ text: expect.stringContaining("The last result: noon") });
  });

  it("receives errors in the vendor's format", async () => {
    const anthropic = await client("gil");
    await expect(anthropic.messages.create({ ...asked, model: "none", messages: [say("x")] })).rejects.toThrow(
      Anthropic.NotFoundError,
    );
    const stranger = new Anthropic({ apiKey: "sgw_wrong", baseURL: `${gateway.url}/anthropic`, maxRetries: 0 });
    await expect(stranger.messages.create({ ...asked, messages: [say("x")] })).rejects.toThrow(
      Anthropic.AuthenticationError,
    );
  });
});
