// The chat endpoint in Anthropic's protocol, with the scripted model: the same loop with another vendor's format.

import { expect, it } from "vitest";
import { call, keyFor } from "../support/call";
import { publishOwn } from "../support/chat-turns";

const MESSAGES = "/anthropic/v1/messages";
const BODY = `Count 5, 7, 5 syllables.\n\n${"Watch the moon, the frog and the pond. ".repeat(300)}`;

type Block = { type: string; text?: string; id?: string; name?: string; signature?: string };
interface Answer {
  content: Block[];
  stop_reason: string;
  usage: { input_tokens: number };
}

let users = 0;

async function user(): Promise<string> {
  const key = await keyFor(`messages-user-${users++}`);
  await publishOwn(key, { name: "haiku", description: "Write a haiku.", body: BODY });
  return key;
}

const say = (text: string) => ({ role: "user", content: text });
const time = { name: "get_time", input_schema: { type: "object", properties: {} } };

function send(key: string, messages: object[], more: object = {}) {
  const json = { model: "demo", max_tokens: 1_000, messages, ...more };
  return call("POST", MESSAGES, { key: null, json, headers: { "x-api-key": key, "anthropic-version": "2023-06-01" } });
}

async function ask(key: string, messages: object[], more: object = {}): Promise<Answer> {
  const answer = await send(key, messages, more);
  if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
  return answer.json<Answer>();
}

const textsOf = ({ content }: Answer) => content.flatMap(({ type, text }) => (type === "text" ? (text ?? "") : []));

it("loads a skill, shows no call of the gateway's tools, and stores the thinking of each step", async () => {
  const key = await user();
  const first = await ask(key, [say("Please use haiku.")]);
  expect(first.content.map(({ type }) => type)).toEqual(["thinking", "thinking", "text"]);
  expect(first.stop_reason).toBe("end_turn");
  expect(textsOf(first).join()).toContain("Count 5, 7, 5 syllables.");
  const { role, content } = { role: "assistant", content: first.content };
  const second = await ask(key, [say("Please use haiku."), { role, content }, say("More haiku.")]);
  expect(textsOf(second)).toEqual([expect.stringMatching(/^You said: More haiku\./)]);
});

it("streams one message with blocks that are numbered without gaps", async () => {
  const text = await (await send(await user(), [say("Please use haiku.")], { stream: true })).text();
  const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? ""));
  const types = events.map(({ type }) => type);
  expect(types.filter((type) => type === "message_start")).toHaveLength(1);
  expect(types.slice(-2)).toEqual(["message_delta", "message_stop"]);
  expect(types.filter((type) => type === "message_delta")).toHaveLength(1);
  const starts = events.filter(({ type }) => type === "content_block_start").map(({ index }) => index);
  expect(starts).toEqual([0, 1, 2]);
  expect(text).not.toContain("load_skill");
});

it("returns the caller's call last, and accepts all results of a step in one message", async () => {
  const key = await user();
  const opening = say("Please use haiku, then get_time.");
  const first = await ask(key, [opening], { tools: [time] });
  expect(first.stop_reason).toBe("tool_use");
  const use = first.content.find(({ type }) => type === "tool_use");
  expect(use).toMatchObject({ name: "get_time" });
  const results = [
    { type: "tool_result", tool_use_id: use?.id, content: "noon" },
    { type: "text", text: "Go on." },
  ];
  const messages = [opening, { role: "assistant", content: first.content }, { role: "user", content: results }];
  const second = await ask(key, messages, { tools: [time] });
  expect(second.stop_reason).toBe("end_turn");
});

it("refuses in the vendor's envelope", async () => {
  const key = await user();
  for (const [more, status, type] of [
    [{ model: "nothing" }, 404, "not_found_error"],
    [{ mcp_servers: [{ url: "https://x.example" }] }, 400, "invalid_request_error"],
    [{ tools: [{ type: "web_search_20250305", name: "web_search" }] }, 400, "invalid_request_error"],
    [{ container: "c_1" }, 400, "invalid_request_error"],
  ] as const) {
    const answer = await send(key, [say("Hi")], more);
    expect([answer.status, await answer.json()]).toMatchObject([status, { type: "error", error: { type } }]);
  }
  expect((await send("sgw_wrong", [say("Hi")])).status).toBe(401);
  // A conversation stored at the vendor could belong to another user. After this error, the SDK's tool runner continues without one.
  for (const thread of [{ type: "create" }, { type: "continue", previous_message_id: "msg_of_somebody" }]) {
    const answer = await send(key, [say("Hi")], { thread });
    const details = { error_code: "thread_unsupported_request" };
    expect([answer.status, await answer.json()]).toMatchObject([400, { type: "error", error: { details } }]);
  }
  const list = await call("GET", "/anthropic/v1/models", { key });
  expect(await list.json()).toMatchObject({ data: [{ type: "model", id: "demo" }, { id: "demo:plain" }] });
});
