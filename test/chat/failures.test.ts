// A model that fails during a turn: the caller receives the vendor's error, and completed calls are not repeated.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { beginWith } from "../support/app";
import { call, keyFor } from "../support/call";
import { connectedTurn, publishOwn, talk } from "../support/chat-turns";
import { calling, chunks, ENTRY, failing, type Reply, saying, scriptModel } from "../support/scripted-model";
import { gatewayServers } from "../support/servers";
import { forget, scripted, seen } from "../support/upstream";

const CHAT = "/openai/v1/chat/completions";
const ANTHROPIC = "/anthropic/v1/messages";

let users = 0;
let server = "";

/** Creates a user with a model and a server that counts its calls. */
async function user(entry: object = ENTRY): Promise<string> {
  const key = await keyFor(`failing-user-${users++}`);
  await call("PUT", "/api/v1/models/m", { key, json: entry });
  await publishOwn(key, { name: "haiku", description: "Write a haiku." });
  return key;
}

beforeEach(async () => {
  await forget();
  const name = `count-${users}`;
  server = `/scripted/${name}`;
  await gatewayServers({ count: { url: await scripted(name, {}), timeout: 60, connect_timeout: 60 } });
  // The first connection of a process takes longer than a turn waits for it.
  if (users === 0) await connectedTurn(await talk("failing-first"));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await gatewayServers({});
});

const runs = async () => (await seen(server)).filter(({ method }) => method === "tools/call").length;
const echo = (id: string): [string, string, object] => [id, "count__echo", {}];
const send = (key: string, more: object = {}, headers: Record<string, string> = {}, route = CHAT) => {
  const messages = [{ role: "user", content: "Count." }];
  const named = { "x-conversation-id": "work", ...headers };
  return call("POST", route, { key, json: { model: "m", messages, max_tokens: 1_000, ...more }, headers: named });
};

const stream = (text: string): Reply => {
  const headers = { "content-type": "text/event-stream" };
  return () => new Response(text, { headers });
};
/** How the third step fails, and the resulting error. Steps that are retried fail twice. */
const FAILURES: [name: string, replies: Reply[], status: number, code: string][] = [
  ["429", [failing(429), failing(429)], 429, "no"],
  ["500", [failing(500), failing(500)], 500, "no"],
  ["a cut stream", [chunks("c", [{ role: "assistant", content: "Half" }], null)], 502, "model_broke_off"],
  ["wrong JSON", [stream('data: {"choices":[{"delta":{"content":"Ha\n\n')], 502, "model_garbled"],
  ["an error in the stream", [stream('data: {"error":{"message":"overloaded"}}\n\n')], 502, "overloaded"],
];

describe("a model that fails at step 3 of 5", () => {
  it.each(FAILURES)(
    "%s: is reported, and the same request continues after the completed steps",
    async (_, replies, status, code) => {
      for (const streams of [false, true]) {
        const key = await user();
        await forget();
        const sent = scriptModel(
          ...[calling("a", [echo("call_1")], "First."), calling("b", [echo("call_2")], "Second."), ...replies],
          ...[calling("d", [echo("call_3")]), saying("e", "Done.")],
        );
        const broken = await send(key, { stream: streams });
        const text = await broken.text();
        expect([broken.status, text]).toEqual([streams ? 200 : status, expect.stringContaining(code)]);
        if (streams) expect(text).toMatch(/data: \{"error":\{[^\n]*\n\n$/);
        else expect(JSON.parse(text)).toMatchObject({ error: { message: expect.any(String) } });
        expect(await runs()).toBe(2);
        const failedAt = sent.length;
        const again = await (await send(key)).json<{ choices: { message: { content: string } }[] }>();
        expect(again.choices[0]!.message.content).toBe("First.\n\nSecond.\n\nDone.");
        expect(sent[failedAt]!.body.messages.map(({ role }) => role)).toEqual([
          ...["system", "user", "assistant", "tool", "assistant", "tool"],
        ]);
        expect(await runs()).toBe(3);
        vi.restoreAllMocks();
      }
    },
  );

  it("has Anthropic's error format at Anthropic's endpoint", async () => {
    const key = await user({ ...ENTRY, api: ["anthropic"] });
    const event = (one: { type: string }) => `event: ${one.type}\ndata: ${JSON.stringify(one)}\n\n`;
    const usage = { input_tokens: 1, output_tokens: 1 };
    const start = {
      type: "message_start",
      message: { id: "m", type: "message", role: "assistant", content: [], usage },
    };
    const half = [
      start,
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Half" } },
    ];
    scriptModel(stream(half.map(event).join("")), stream(`${event(start)}event: x\ndata: {"type":\n\n`), failing(429));
    for (const type of ["api_error", "api_error"]) {
      const broken = await send(key, { stream: true }, {}, ANTHROPIC);
      expect(await broken.text()).toMatch(
        new RegExp(`event: error\\ndata: \\{"type":"error","error":\\{"type":"${type}"`),
      );
    }
    const refused = await send(key, {}, {}, ANTHROPIC);
    expect([refused.status, await refused.json()]).toMatchObject([429, { error: { message: "no" } }]);
  });
});

/**
 * Returns a tool whose calls wait for a release. They poll, because a promise resolved by another request would continue in that request.
 */
function holdCalls() {
  let calls = 0;
  let isFree = false;
  const answer = vi.mocked(fetch).getMockImplementation()!;
  vi.mocked(fetch).mockImplementation(async (input, init) => {
    if (String(init?.body ?? "").includes("tools/call")) {
      calls++;
      while (!isFree) await scheduler.wait(5);
    }
    return answer(input, init);
  });
  const go = () => {
    isFree = true;
  };
  return { begun: () => expect.poll(() => calls, { timeout: 10_000 }).toBe(1), go };
}

function statesOf(user: string) {
  const stub = env.CONVERSATIONS.getByName(JSON.stringify([user, "work"]));
  return runInDurableObject(stub, (_, { storage }) =>
    storage.sql
      .exec("SELECT state FROM chat_exchanges ORDER BY rowid")
      .toArray()
      .map(({ state }) => state),
  );
}

it("a request that is sent again while its tool runs waits for it, and runs it once", async () => {
  const key = await user();
  const sent = scriptModel(calling("a", [echo("call_1")]), saying("b", "Done."));
  const { begun, go } = holdCalls();
  const first = send(key);
  await begun();
  const second = send(key, {}, { "x-stainless-retry-count": "1" });
  await expect.poll(() => statesOf(`failing-user-${users - 1}`)).toEqual(["dropped", "running"]);
  go();
  const [lost, won] = await Promise.all([first, second]);
  expect([lost.status, won.status]).toEqual([400, 200]);
  expect(await runs()).toBe(1);
  expect(sent).toHaveLength(2);
});

it.each([true, false])(
  "a caller that disconnects while a tool runs finds its result when it asks again: %s",
  async (soon) => {
    const key = await user();
    const sent = scriptModel(calling("a", [echo("call_1")]), saying("b", "Done."));
    const { begun, go } = holdCalls();
    const client = new AbortController();
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", "x-conversation-id": "work" };
    const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "Count." }], max_tokens: 1_000 });
    const left = beginWith({}, CHAT, { method: "POST", headers, body, signal: client.signal });
    await begun();
    client.abort();
    const who = `failing-user-${users - 1}`;
    await expect.poll(() => statesOf(who)).toEqual(["failed"]);
    if (!soon) go();
    if (!soon) await left;
    const again = send(key);
    if (soon) await expect.poll(() => statesOf(who)).toEqual(["dropped", "running"]);
    go();
    expect((await again).status).toBe(200);
    await left;
    expect(sent[1]!.body.messages.at(-1)).toMatchObject({ role: "tool", tool_call_id: "call_1", content: "well" });
    expect([await runs(), sent.length]).toEqual([1, 2]);
  },
);
