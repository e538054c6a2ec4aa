// The chat endpoint with the scripted model, as a front end uses it.

import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { askWith } from "../support/app";
import { call, keyFor } from "../support/call";
import { publishOwn } from "../support/chat-turns";

const CHAT = "/openai/v1/chat/completions";

interface Completion {
  id: string;
  object: string;
  choices: {
    message: { role: string; content: string | null; tool_calls?: { id: string; function: { name: string } }[] };
    finish_reason: string;
  }[];
  usage: { total_tokens: number };
}
/** Shorter instructions would be preloaded, so nothing would be loaded. */
const BODY = `Count 5, 7, 5 syllables.\n\n${"Watch the moon, the frog and the pond. ".repeat(300)}`;

type Message = Record<string, unknown>;

let users = 0;

async function user(): Promise<string> {
  const key = await keyFor(`chat-user-${users++}`);
  await publishOwn(key, { name: "haiku", description: "Write a haiku.", body: BODY });
  return key;
}

const say = (text: string): Message => ({ role: "user", content: text });
const time = { type: "function", function: { name: "get_time", parameters: { type: "object", properties: {} } } };

async function ask(key: string, messages: Message[], more: object = {}, headers: Record<string, string> = {}) {
  const answer = await call("POST", CHAT, { key, json: { model: "demo", messages, ...more }, headers });
  if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
  return answer;
}
const message = async (answer: Response) => (await answer.json<Completion>()).choices[0]!.message;

describe("the chat endpoint", () => {
  it("loads the skill that a message names, and shows the answer alone", async () => {
    const key = await user();
    const answer = await ask(key, [say("Please use haiku for rain.")]);
    const completion = await answer.json<Completion>();
    expect(completion.object).toBe("chat.completion");
    expect(completion.choices).toHaveLength(1);
    expect(completion.choices[0]).toMatchObject({ finish_reason: "stop", message: { role: "assistant" } });
    expect(completion.choices[0]!.message.tool_calls).toBeUndefined();
    expect(completion.choices[0]!.message.content).toContain("Count 5, 7, 5 syllables.");
    const id = answer.headers.get("x-conversation-id")!;
    const status = await (await call("GET", `/api/v1/conversations/${id}`, { key })).json();
    expect(status).toMatchObject({ turn: 1, active: [{ skill: "haiku" }] });
  });

  it("finds a chat again by what was said in it, and puts the hidden steps back", async () => {
    const key = await user();
    const first = await ask(key, [say("Please use haiku for rain.")]);
    const said = await message(first);
    const second = await ask(key, [say("Please use haiku for rain."), said, say("And haiku for snow?")]);
    expect(second.headers.get("x-conversation-id")).toBe(first.headers.get("x-conversation-id"));
    // The instructions are still in the history, so they are not loaded again and this turn has no result.
    expect((await message(second)).content).toBe("You said: And haiku for snow?");
    const id = first.headers.get("x-conversation-id")!;
    expect(await (await call("GET", `/api/v1/conversations/${id}`, { key })).json()).toMatchObject({ turn: 2 });
    const { events } = await (await call("GET", `/api/v1/conversations/${id}/events`, { key })).json<{
      events: { type: string }[];
    }>();
    expect(events.map(({ type }) => type)).toEqual(["turn", "loaded", "turn"]);
  });

  it("streams chunks of one answer, with usage only where it was asked for", async () => {
    const key = await user();
    const read = async (more: object) => {
      const text = await (await ask(key, [say("Please use haiku now.")], { stream: true, ...more })).text();
      expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
      expect(text.split("[DONE]")).toHaveLength(2);
      return text
        .split("\n\n")
        .filter((line) => line.startsWith("data: {"))
        .map((line) => JSON.parse(line.slice(6)));
    };
    const chunks = await read({});
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    const deltas = chunks.flatMap(({ choices }) => choices.map((choice: { delta: object }) => choice.delta));
    expect(deltas.filter((delta) => "role" in delta)).toHaveLength(1);
    expect(deltas.filter((delta) => "tool_calls" in delta)).toEqual([]);
    expect(chunks.filter(({ choices }) => choices[0]?.finish_reason !== null).length).toBe(1);
    expect(chunks.some((chunk) => "usage" in chunk)).toBe(false);
    const counted = await read({ stream_options: { include_usage: true } });
    expect(counted.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
  });

  it("returns the caller's own call, and puts its result back in its place", async () => {
    const key = await user();
    const tools = [time];
    const opening = say("Please use haiku, then get_time.");
    const first = await message(await ask(key, [opening], { tools }));
    expect(first.tool_calls).toMatchObject([{ function: { name: "get_time" } }]);
    const result = { role: "tool", tool_call_id: first.tool_calls![0]!.id, content: "noon" };
    const second = await message(await ask(key, [opening, first, result], { tools }));
    expect(second.content).toContain("The last result: noon");
  });

  it("leaves a request alone that asks for no skills", async () => {
    const key = await user();
    for (const [more, headers] of [
      [{ model: "demo:plain" }, {}],
      [{}, { "x-skills": "off" }],
      [{}, { "x-openwebui-task": "title_generation" }],
      [{ tool_choice: "none" }, {}],
    ] as const) {
      const answer = await ask(key, [say("Please use haiku.")], more, headers);
      expect(answer.headers.get("x-skills")).toMatch(/^off/);
      expect(answer.headers.get("x-conversation-id")).toBeNull();
      expect((await message(answer)).content).toBe("You said: Please use haiku.");
    }
    // Without skills, nothing is stored.
    const bare = await keyFor(`chat-bare-${users++}`);
    expect((await ask(bare, [say("Hello.")])).headers.get("x-skills")).toBe("off; none");
    for (const one of [key, bare])
      expect(await (await call("GET", "/api/v1/conversations", { key: one })).json()).toMatchObject({ items: [] });
  });

  it("continues from an earlier answer as a branch, and keeps the others", async () => {
    const key = await user();
    const opening = say("Hello.");
    const hello = await message(await ask(key, [opening]));
    const named = { "x-conversation-id": "chat-tree" };
    const root = await message(await ask(key, [opening], {}, named));
    const left = await message(await ask(key, [opening, root, say("Use haiku.")], {}, named));
    const right = await message(await ask(key, [opening, root, say("Say more.")], {}, named));
    expect([hello.content, right.content]).toEqual(["You said: Hello.", "You said: Say more."]);
    const active = async () =>
      (await (await call("GET", "/api/v1/conversations/chat-tree", { key })).json<{ active: object[] }>()).active;
    expect(await active()).toEqual([]);
    const again = await ask(key, [opening, root, say("Use haiku."), left, say("And haiku again.")], {}, named);
    expect((await message(again)).content).toBe("You said: And haiku again.");
    expect(await active()).toMatchObject([{ skill: "haiku" }]);
  });

  it("stores nothing for a key that acts for many users and names none", async () => {
    const service = await keyFor("chat-service", { scopes: ["act_as", "chat"] });
    await publishOwn(await keyFor("chat-service"), { name: "haiku", description: "Write a haiku.", body: BODY });
    const first = await ask(service, [say("Please use haiku.")]);
    const said = await message(first);
    expect(said.content).toContain("Count 5, 7, 5 syllables.");
    const second = await ask(service, [say("Please use haiku."), said, say("More haiku.")]);
    expect(second.headers.get("x-conversation-id")).not.toBe(first.headers.get("x-conversation-id"));
    const kept = env.DB.prepare("SELECT count(*) AS kept FROM chat_tails WHERE user_id = 'chat-service'");
    expect((await kept.first<{ kept: number }>())?.kept).toBe(0);
    // With a user, the chat belongs to that user only.
    for (const who of ["chat-ada", "chat-bob"])
      await publishOwn(await keyFor(who), { name: "haiku", description: "Write a haiku.", body: BODY });
    const as = async (who: string, messages: Message[]) =>
      call("POST", CHAT, { key: service, as: who, json: { model: "demo", messages } });
    const ada = await as("chat-ada", [say("Hello.")]);
    const hello = await message(ada);
    const talk = [say("Hello."), hello, say("Again.")];
    expect((await as("chat-ada", talk)).headers.get("x-conversation-id")).toBe(ada.headers.get("x-conversation-id"));
    expect((await as("chat-bob", talk)).headers.get("x-conversation-id")).not.toBe(
      ada.headers.get("x-conversation-id"),
    );
  });

  it("hands what is hidden out to its user, and erases it", async () => {
    const key = await user();
    const id = `chat-user-${users - 1}`;
    await ask(key, [say("Please use haiku.")]);
    const told = await (await call("GET", `/api/v1/users/${id}/export`, { key })).json<{
      conversations: { answers: { messages: Message[] }[] }[];
    }>();
    const [answer] = told.conversations[0]!.answers;
    expect(answer!.messages.map(({ role }) => role)).toEqual(["assistant", "tool", "assistant"]);
    expect((await call("DELETE", `/api/v1/users/${id}`, { key })).status).toBe(200);
    const left = env.DB.prepare("SELECT count(*) AS kept FROM chat_tails WHERE user_id = ?").bind(id);
    expect((await left.first<{ kept: number }>())?.kept).toBe(0);
  });

  it("ends at the tokens of a day, for one user", async () => {
    const key = await user();
    const send = (as: string) =>
      askWith({ CHAT_TOKENS_DAY: "10" }, CHAT, {
        method: "POST",
        headers: { authorization: `Bearer ${as}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "demo", messages: [say("Hello, hello, hello, hello.")] }),
      });
    expect((await send(key)).status).toBe(200);
    const refused = await send(key);
    expect([refused.status, refused.headers.get("x-should-retry")]).toEqual([429, "false"]);
    expect(await refused.json()).toMatchObject({ error: { code: "daily_tokens", type: "rate_limit_error" } });
    expect((await send(await user())).status).toBe(200);
  });

  it("refuses in the vendor's words", async () => {
    const key = await user();
    const refused = async (json: object, as: string | null = key) => {
      const answer = await call("POST", CHAT, { key: as, json });
      return [answer.status, (await answer.json<{ error: { code: string; type: string } }>()).error.code];
    };
    const messages = [say("Hi")];
    expect(await refused({ model: "nothing", messages })).toEqual([404, "model_not_found"]);
    expect(await refused({ model: "demo" })).toEqual([400, "invalid_request"]);
    expect(await refused({ model: "demo", messages, tools: [{ type: "web_search" }] })).toEqual([400, "not_allowed"]);
    expect(await refused({ model: "demo", messages }, "sgw_wrong")).toEqual([401, "unauthenticated"]);
    const limited = await keyFor("chat-limited", { scopes: ["conversations"] });
    expect(await refused({ model: "demo", messages }, limited)).toEqual([403, "scope_missing"]);
    const chat = await keyFor("chat-limited", { scopes: ["chat"] });
    expect((await call("POST", CHAT, { key: chat, json: { model: "demo", messages } })).status).toBe(200);
    expect((await call("GET", "/openai/v1/files", { key })).status).toBe(404);
  });

  it("lists the models that the caller may call", async () => {
    const key = await user();
    const entry = { api: ["openai-chat"], base_url: "https://api.example.com/v1", model: "m" };
    await call("PUT", "/api/v1/models/mine", { key, json: entry });
    await call("PUT", "/api/v1/models/others", { json: { ...entry, scope: "gateway", allow: { users: ["nobody"] } } });
    const { data } = await (await call("GET", "/openai/v1/models", { key })).json<{ data: { id: string }[] }>();
    expect(data.map(({ id }) => id)).toEqual(["mine", "mine:plain", "demo", "demo:plain"]);
    expect((await call("GET", "/openai/v1/models/mine", { key })).status).toBe(200);
    for (const other of ["others", "%zz", "ghost%2Fnobody"])
      expect((await call("GET", `/openai/v1/models/${other}`, { key })).status).toBe(404);
  });
});
