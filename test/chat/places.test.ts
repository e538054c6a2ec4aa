// The limit for parallel requests of one user at the chat endpoint: further requests are rejected, and each request frees its place however
// it ends.

import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { beginWith } from "../support/app";
import { call, keyFor } from "../support/call";
import { publishOwn } from "../support/chat-turns";
import { ENTRY, failing, saying, scriptModel } from "../support/scripted-model";

const CHAT = "/openai/v1/chat/completions";

afterEach(() => vi.restoreAllMocks());

let users = 0;

async function user(): Promise<{ key: string; name: string }> {
  const name = `places-user-${users++}`;
  const key = await keyFor(name);
  await publishOwn(key, { name: "haiku", description: "Write a haiku." });
  await call("PUT", "/api/v1/models/m", { key, json: ENTRY });
  await call("PUT", "/api/v1/models/claude", { key, json: { ...ENTRY, api: ["anthropic"] } });
  return { key, name };
}

function send(key: string, more: object = {}, path = CHAT) {
  const messages = [{ role: "user", content: "One." }];
  return beginWith({ CHAT_STREAMS: "2" }, path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "m", messages, max_tokens: 100, ...more }),
  });
}

/** Returns a model that sends no more data until it is released. */
function holding() {
  const ends: (() => void)[] = [];
  const reply = () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    void writer.write(new TextEncoder().encode(": there\n\n")).catch(() => undefined);
    ends.push(() => void writer.abort(new Error("the vendor is gone")).catch(() => undefined));
    return new Response(readable, { headers: { "content-type": "text/event-stream" } });
  };
  return { reply, ends };
}

it("beyond it is 429 in the vendor's words, for this user alone, until one has ended", async () => {
  const { key } = await user();
  const { reply, ends } = holding();
  scriptModel(reply, reply, saying("c", "There."), saying("d", "There."));
  const streams = [await send(key, { stream: true }), await send(key, { stream: true, model: "m:plain" })];
  expect(streams.map(({ status }) => status)).toEqual([200, 200]);
  for (const [path, model, type] of [
    [CHAT, "m", undefined],
    ["/anthropic/v1/messages", "claude", "error"],
  ] as const) {
    const refused = await send(key, { model }, path);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "2"]);
    const { error, ...rest } = await refused.json<{ error: { type: string; message: string } }>();
    expect([error.type, error.message, rest]).toMatchObject([
      "rate_limit_error",
      expect.stringContaining("Too many running requests (limit 2 per user)"),
      type === undefined ? {} : { type },
    ]);
  }
  expect((await send((await user()).key)).status).toBe(200);
  // The first stream fails in the middle; the vendor ends the second one early.
  for (const end of ends) end();
  await Promise.all(streams.map((stream) => stream.text().catch(() => "")));
  await expect.poll(async () => (await send(key)).status).toBe(200);
});

it("a refusal, a failure and an answer give it back", async () => {
  const { key } = await user();
  for (let round = 0; round < 3; round++) {
    scriptModel(failing(400), saying("b", "There."), failing(503));
    const statuses = [];
    for (const more of [{ model: "nothing" }, { container: "c" }, {}, {}, { model: "m:plain" }])
      statuses.push((await send(key, more)).status);
    expect(statuses).toEqual([404, 400, 400, 200, 503]);
    vi.restoreAllMocks();
  }
});

it("places are forgotten with the object that knows them", async () => {
  const { key, name } = await user();
  const { reply } = holding();
  scriptModel(reply, reply, saying("c", "There."));
  const held = [await send(key, { stream: true }), await send(key, { stream: true })];
  expect((await send(key)).status).toBe(429);
  await evictDurableObject(env.CONVERSATIONS.getByName(JSON.stringify([name])));
  expect((await send(key)).status).toBe(200);
  for (const { body } of held) await body?.cancel();
});
