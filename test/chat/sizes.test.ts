// Size limits of the chat endpoint: data over a limit is rejected or left out, and never processed in part.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CHAT_LIMITS } from "../../src/domain/chat/limits";
import { CONVERSATION_LIMITS } from "../../src/domain/limits";
import { ConversationStore } from "../../src/storage/object/conversation";
import { call, keyFor } from "../support/call";
import { connectedTurn, publishOwn, talk } from "../support/chat-turns";
import { calling, chunks, ENTRY, type Reply, saying, scriptModel } from "../support/scripted-model";
import { gatewayServers } from "../support/servers";
import { forget, scripted, seen } from "../support/upstream";

const CHAT = "/openai/v1/chat/completions";
/** Two bytes per character when passed on, three when stored. */
const LONG = "漢".repeat(150_000);

type Message = Record<string, unknown>;
const say = (content: string): Message => ({ role: "user", content });
const said = (content: string): Message => ({ role: "assistant", content });

let users = 0;
let name = "";

beforeEach(async () => {
  await forget();
  name = `sizes-user-${users++}`;
  const result = { content: [{ type: "text", text: LONG }] };
  const body = `{"jsonrpc":"2.0","id":@id,"result":${JSON.stringify(result)}}`;
  const url = await scripted(name, { "tools/call": { headers: { "content-type": "application/json" }, body } });
  await gatewayServers({ long: { url, timeout: 60, connect_timeout: 60 } });
  if (users === 1) await connectedTurn(await talk("sizes-first"));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await gatewayServers({});
});

async function user(): Promise<string> {
  const key = await keyFor(name);
  await publishOwn(key, { name: "haiku", description: "Write a haiku." });
  await call("PUT", "/api/v1/models/m", { key, json: ENTRY });
  await call("PUT", "/api/v1/models/claude", { key, json: { ...ENTRY, api: ["anthropic"] } });
  return key;
}

function ask(key: string, messages: Message[], more: object = {}, path = CHAT) {
  const headers = { "x-conversation-id": "work" };
  return call("POST", path, { key, json: { model: "m", messages, max_tokens: 10_000, ...more }, headers });
}

const runs = async () => (await seen(`/scripted/${name}`)).filter(({ method }) => method === "tools/call").length;
const many = (step: string, count: number): [string, string, object][] =>
  Array.from({ length: count }, (_, n) => [`${step}_${n}`, "long__echo", {}]);
const tokens = async () =>
  (
    await env.DB.prepare(
      "SELECT coalesce(sum(count), 0) AS count FROM usage WHERE subject = ? AND kind = 'chat_tokens'",
    )
      .bind(name)
      .first<{ count: number }>()
  )?.count ?? 0;

it("results above the limit of an answer are replaced by a note, and many large results are passed on while they fit", async () => {
  const key = await user();
  const history: Message[] = [];
  for (const turn of ["a", "b", "c"]) {
    const sent = scriptModel(
      calling(turn, many(turn, 30)),
      calling(`${turn}2`, many(`${turn}2`, 2)),
      saying("z", turn),
    );
    history.push(say(turn));
    const answer = await ask(key, history);
    expect(answer.status).toBe(200);
    await answer.text();
    history.push(said(turn));
    const results = sent[1]!.body.messages.filter(({ role }) => role === "tool").slice(-30);
    const shown = results.filter(({ content }) => content === LONG).length;
    expect(shown).toBe(Math.floor(CHAT_LIMITS.turnChars / LONG.length));
    expect(results.slice(shown).every(({ content }) => String(content).includes("its result does not fit"))).toBe(true);
    expect(sent.map(({ text }) => text.length).every((size) => size < 1.5 * CHAT_LIMITS.branchChars)).toBe(true);
    vi.restoreAllMocks();
  }
  expect(await runs()).toBe(3 * 32);
});

it("above the limit of calls per step, the other calls get an error", async () => {
  const key = await user();
  const calls = Array.from({ length: 70 }, (_, n): [string, string, object] => [
    `r${n}`,
    "read_skill",
    { skill_name: "haiku" },
  ]);
  const sent = scriptModel(calling("a", calls), saying("b", "Fine."));
  expect((await ask(key, [say("One.")])).status).toBe(200);
  const results = sent[1]!.body.messages.filter(({ role }) => role === "tool");
  expect(results.map(({ tool_call_id: id }) => id)).toEqual(calls.map(([id]) => id));
  expect(results.map(({ content }) => String(content).includes("Too many calls in one step (limit 64)"))).toEqual(
    calls.map((_, n) => n >= 64),
  );
});

it("a too long message of the model is not stored and runs nothing; the last message is returned", async () => {
  const key = await user();
  const long = "word ".repeat(CHAT_LIMITS.messageChars / 5);
  scriptModel(calling("a", many("a", 1), long));
  const refused = await ask(key, [say("One.")]);
  expect([refused.status, await refused.json()]).toMatchObject([502, { error: { code: "model_too_large" } }]);
  vi.restoreAllMocks();
  const sent = scriptModel(saying("b", long), saying("c", "Two."));
  const told = await (await ask(key, [say("One.")])).json<{ choices: { message: { content: string } }[] }>();
  expect(told.choices[0]!.message.content).toBe(long);
  expect((await ask(key, [say("One."), said(long), say("Two.")])).status).toBe(200);
  expect(sent[1]!.body.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
  expect(await runs()).toBe(0);
});

describe("a conversation that is full", () => {
  const fill = () =>
    vi.spyOn(ConversationStore.prototype, "bytes").mockReturnValue(CONVERSATION_LIMITS.storedBytes + 1);
  const kept = () =>
    runInDurableObject(env.CONVERSATIONS.getByName(JSON.stringify([name, "work"])), (_, { storage }) =>
      ["chat_exchanges", "chat_messages", "chat_nodes"].map(
        (table) => storage.sql.exec(`SELECT count(*) AS rows FROM ${table}`).one().rows,
      ),
    );

  it("refuses in the vendor's words, asks no model, and writes nothing", async () => {
    const key = await user();
    scriptModel(saying("a", "One."));
    expect((await ask(key, [say("One.")])).status).toBe(200);
    const before = await kept();
    vi.restoreAllMocks();
    const sent = scriptModel();
    fill();
    const openai = await ask(key, [say("One."), said("One."), say("Two.")]);
    expect([openai.status, await openai.json()]).toMatchObject([
      400,
      { error: { type: "invalid_request_error", code: "quota_exceeded", message: expect.stringContaining("1 GiB") } },
    ]);
    const anthropic = await ask(key, [say("One.")], { model: "claude" }, "/anthropic/v1/messages");
    expect([anthropic.status, await anthropic.json()]).toMatchObject([400, { type: "error" }]);
    expect(sent).toEqual([]);
    expect(await kept()).toEqual(before);
  });

  it("during a turn runs no call, and the same request continues when there is room", async () => {
    const key = await user();
    const filling: Reply = () => {
      fill();
      return calling("b", many("b", 1))();
    };
    scriptModel(calling("a", many("a", 1)), filling);
    const stopped = await ask(key, [say("One.")], { stream: true });
    expect(await stopped.text()).toMatch(/data: \{"error":\{"message":"The conversation's storage is full[^\n]*\n\n$/);
    expect(await runs()).toBe(1);
    vi.restoreAllMocks();
    const sent = scriptModel(saying("c", "Done."));
    expect((await ask(key, [say("One.")])).status).toBe(200);
    expect(sent[0]!.body.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool"]);
    expect(await runs()).toBe(1);
  });
});

describe("tokens of a day", () => {
  it("are guessed where the vendor does not say them, also of an answer that broke off", async () => {
    const key = await user();
    const silent = chunks("a", [{ role: "assistant", content: "x".repeat(4_000) }], null);
    scriptModel(silent);
    expect((await ask(key, [say("y".repeat(8_000))])).status).toBe(502);
    const broken = await tokens();
    expect(broken).toBeGreaterThan(3_000);
    const unsaid: Reply = () => {
      const event = { id: "b", choices: [{ index: 0, delta: { content: "x".repeat(400) }, finish_reason: "stop" }] };
      const headers = { "content-type": "text/event-stream" };
      return new Response(`data: ${JSON.stringify(event)}\n\ndata: [DONE]\n\n`, { headers });
    };
    vi.restoreAllMocks();
    scriptModel(unsaid);
    expect((await ask(key, [say("z".repeat(8_000))])).status).toBe(200);
    expect((await tokens()) - broken).toBeGreaterThan(2_000);
  });

  it("that several requests use at once are all counted", async () => {
    const key = await user();
    scriptModel(...Array.from({ length: 8 }, () => saying("a", "Fine.")));
    await Promise.all(Array.from({ length: 8 }, (_, n) => ask(key, [say(`${n}`)]).then((answer) => answer.text())));
    expect(await tokens()).toBe(8 * 15);
  });
});
