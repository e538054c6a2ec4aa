// Token counting at the chat endpoint: the vendor counts the same request that it would receive, and the gateway starts and stores nothing.

import { afterEach, expect, it, vi } from "vitest";
import { call, keyFor } from "../support/call";
import { publishOwn } from "../support/chat-turns";
import { HOST, scriptModel } from "../support/scripted-model";

const COUNT = "/anthropic/v1/messages/count_tokens";
const BODY = `Count 5, 7, 5 syllables.\n\n${"Watch the moon, the frog and the pond. ".repeat(300)}`;
const ENTRY = { api: ["anthropic"], base_url: `https://${HOST}`, model: "claude-opus-5-5" };
const say = (content: string) => ({ role: "user", content });

let users = 0;

async function user(): Promise<string> {
  const key = await keyFor(`count-user-${users++}`);
  await publishOwn(key, { name: "haiku", description: "Write a haiku.", body: BODY });
  await call("PUT", "/api/v1/models/claude", { key, json: { ...ENTRY, allow: { max_output_tokens: 50 } } });
  return key;
}

const count = (key: string, json: object, headers: Record<string, string> = {}) =>
  call("POST", COUNT, {
    key,
    json: { model: "claude", ...json },
    headers: { "anthropic-version": "2023-06-01", ...headers },
  });
const kept = async (key: string) =>
  (await (await call("GET", "/api/v1/conversations", { key })).json<{ items: object[] }>()).items;

afterEach(() => vi.restoreAllMocks());

it("the vendor counts the gateway's text and tools too, in a new chat and in a known one", async () => {
  const key = await user();
  const counted = () => Response.json({ input_tokens: 4_711 });
  const sent = scriptModel(counted, counted, counted);
  const tools = [{ name: "get_time", input_schema: { type: "object" } }];
  const answer = await count(key, { messages: [say("Hello.")], tools, system: "Be short." });
  expect([answer.status, await answer.json()]).toEqual([200, { input_tokens: 4_711 }]);
  expect(sent[0]!.url).toBe(`${ENTRY.base_url}/v1/messages/count_tokens`);
  expect(sent[0]!.headers.get("anthropic-version")).toBe("2023-06-01");
  const { system, tools: all, ...rest } = sent[0]!.body as unknown as { system: { text: string }[]; tools: object[] };
  expect(system.map(({ text }) => text)).toEqual([expect.stringContaining("**haiku**"), "Be short."]);
  expect(all).toEqual(expect.arrayContaining([expect.objectContaining({ name: "load_skill" }), tools[0]]));
  // Fields that this route of the vendor does not support are not sent.
  expect(Object.keys(rest).sort()).toEqual(["cache_control", "messages", "model"]);
  expect(await kept(key)).toEqual([]);
  await call("PUT", "/api/v1/conversations/work", { key, json: {} });
  const before = await (await call("GET", "/api/v1/conversations/work", { key })).json();
  await count(key, { messages: [say("Hello.")] }, { "x-conversation-id": "work" });
  expect(sent[1]!.text).toContain("**haiku**");
  expect(await (await call("GET", "/api/v1/conversations/work", { key })).json()).toEqual(before);
  // Without skills it is what the caller sent.
  await count(key, { messages: [say("Hello.")], model: "claude:plain" });
  expect(sent[2]!.body).toEqual({ messages: [say("Hello.")], model: ENTRY.model });
});

it("counts what is hidden, with the scripted model", async () => {
  const key = await user();
  const headers = { "x-conversation-id": "demo-chat" };
  const opening = say("Please use haiku.");
  const asked = { model: "demo", max_tokens: 100, messages: [opening] };
  const first = await call("POST", "/anthropic/v1/messages", { key, json: asked, headers });
  const { content } = await first.json<{ content: object[] }>();
  const messages = [opening, { role: "assistant", content }, say("More.")];
  const tokens = async (more: Record<string, string>) =>
    (await (await count(key, { model: "demo", messages }, more)).json<{ input_tokens: number }>()).input_tokens;
  const shown = await tokens({ "x-skills": "off" });
  // The skill's text is hidden behind the answer.
  expect((await tokens(headers)) - shown).toBeGreaterThan(BODY.length / 4);
});

it("a vendor without token counting returns its own error, and so does a protocol without the route", async () => {
  const key = await user();
  const missing = { type: "error", error: { type: "not_found_error", message: "Not found" } };
  scriptModel(() => Response.json(missing, { status: 404 }));
  const answer = await count(key, { messages: [say("Hello.")] });
  expect([answer.status, await answer.json()]).toEqual([404, missing]);
  const none = await call("POST", "/openai/v1/chat/completions/count_tokens", { key, json: {} });
  expect([none.status, await none.json()]).toMatchObject([404, { error: { code: "not_found" } }]);
  expect((await count("sgw_wrong", { messages: [say("Hello.")] })).status).toBe(401);
});
