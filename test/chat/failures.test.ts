// A model that fails in the middle of a turn: the caller is told in the vendor's words, and what was done is not done again.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { call, keyFor } from "../support/call";
import { calling, chunks, ENTRY, failing, type Reply, saying, scriptModel } from "../support/scripted-model";
import { gatewayServers } from "../support/servers";
import { connectedTurn, publishOwn, talk } from "../support/talk";
import { forget, scripted, seen } from "../support/upstream";

const CHAT = "/openai/v1/chat/completions";
const ANTHROPIC = "/anthropic/v1/messages";

let users = 0;
let server = "";

/** A user with a model, and a server whose calls are counted. */
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
  // The first connection of a process takes longer than a turn waits for one.
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
/** How the third step fails, and what the caller is told: twice where it is asked again. */
const FAILURES: [name: string, replies: Reply[], status: number, code: string][] = [
  ["429", [failing(429), failing(429)], 429, "no"],
  ["500", [failing(500), failing(500)], 500, "no"],
  ["a cut stream", [chunks("c", [{ role: "assistant", content: "Half" }], null)], 502, "model_broke_off"],
  ["wrong JSON", [stream('data: {"choices":[{"delta":{"content":"Ha\n\n')], 502, "model_garbled"],
  ["an error in the stream", [stream('data: {"error":{"message":"overloaded"}}\n\n')], 502, "overloaded"],
];

describe("a model that fails at step 3 of 5", () => {
  it.each(FAILURES)(
    "%s: is told, and the same request goes on behind what was done",
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

  it("is told in Anthropic's words where those are spoken", async () => {
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

it("a request that is sent again while its tool runs waits for it, and runs it once", async () => {
  const key = await user();
  const begun = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const sent = scriptModel(calling("a", [echo("call_1")]), saying("b", "Done."));
  const answer = vi.mocked(fetch).getMockImplementation()!;
  vi.mocked(fetch).mockImplementation(async (input, init) => {
    if (String(init?.body ?? "").includes("tools/call")) {
      begun.resolve();
      await go.promise;
    }
    return answer(input, init);
  });
  const first = send(key);
  await begun.promise;
  const second = send(key, {}, { "x-stainless-retry-count": "1" });
  const stub = env.CONVERSATIONS.getByName(JSON.stringify([`failing-user-${users - 1}`, "work"]));
  const states = () =>
    runInDurableObject(stub, (_, { storage }) =>
      storage.sql
        .exec("SELECT state FROM chat_exchanges ORDER BY rowid")
        .toArray()
        .map(({ state }) => state),
    );
  await expect.poll(states).toEqual(["dropped", "running"]);
  go.resolve();
  const [lost, won] = await Promise.all([first, second]);
  expect([lost.status, won.status]).toEqual([400, 200]);
  expect(await runs()).toBe(1);
  expect(sent).toHaveLength(2);
});
