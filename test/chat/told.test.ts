// Error messages of the chat endpoint, before and during a stream: they contain neither the vendor's key nor the operator's network, and
// name the unreadable part of a request.

import { afterEach, describe, expect, it, vi } from "vitest";
import { call, keyFor } from "../support/call";
import { publishOwn } from "../support/chat-turns";
import { HOST, scriptModel } from "../support/scripted-model";

const PLANTED = 'sk-planted-"stream"-key-91c4';
const KEY = "$" + "{{secrets.VENDOR_KEY}}";
const SAID = { message: `Key ${PLANTED} is over its limit.`, code: "x_limit", nested: { keys: [PLANTED] } };

const PROTOCOLS = {
  "Chat Completions": {
    ...{ api: "openai-chat", path: "/openai/v1/chat/completions", field: "messages", error: { error: SAID } },
    begin: { id: "a", choices: [{ index: 0, delta: { role: "assistant", content: "Half" }, finish_reason: null }] },
  },
  Responses: {
    ...{ api: "openai-responses", path: "/openai/v1/responses", field: "input" },
    error: { type: "response.failed", response: { id: "r", status: "failed", error: SAID } },
    begin: { type: "response.created", response: { id: "r", status: "in_progress", output: [] } },
  },
  Messages: {
    ...{ api: "anthropic", path: "/anthropic/v1/messages", field: "messages" },
    error: { type: "error", error: { type: "rate_limit_error", ...SAID } },
    begin: { type: "message_start", message: { id: "m", role: "assistant", content: [], usage: {} } },
  },
};

let users = 0;
afterEach(() => vi.restoreAllMocks());

async function user(api: string, hasSkill: boolean): Promise<string> {
  const key = await keyFor(`told-user-${users++}`);
  if (hasSkill) await publishOwn(key, { name: "haiku", description: "Write a haiku.", body: "Count 5, 7, 5." });
  await call("PUT", "/api/v1/secrets/VENDOR_KEY", { key, json: { value: PLANTED, hosts: [HOST] } });
  const base_url = `https://${HOST}${api === "anthropic" ? "" : "/v1"}`;
  await call("PUT", "/api/v1/models/m", { key, json: { api: [api], base_url, model: "v", key: KEY } });
  return key;
}

describe.each(Object.entries(PROTOCOLS))("%s", (_, { api, path, field, begin, error }) => {
  const send = (key: string, messages: unknown, more: object = {}) =>
    call("POST", path, { key, json: { model: "m", max_tokens: 50, store: false, [field]: messages, ...more } });

  it.each([
    ["with a skill", true],
    ["without one, in bytes that are else the vendor's", false],
  ])("an error in a stream names no key, %s", async (__, hasSkill) => {
    const key = await user(api, hasSkill);
    const frames = [begin, error].map((event) => `data: ${JSON.stringify(event)}\n\n`);
    const bytes = new TextEncoder().encode(frames.join(""));
    // In pieces of any size, some of which split the key.
    const cut = new TextEncoder().encode(frames.join("").slice(0, frames.join("").indexOf("planted"))).length;
    const pieces = [bytes.slice(0, cut), bytes.slice(cut, cut + 9), bytes.slice(cut + 9)];
    const stream = () => {
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      const writer = writable.getWriter();
      void Promise.all([...pieces.map((piece) => writer.write(piece)), writer.close()]);
      return readable;
    };
    const body = () => new Response(stream(), { headers: { "content-type": "text/event-stream" } });
    const sent = scriptModel(body, body);
    const text = await (await send(key, [{ role: "user", content: "Hi" }], { stream: true })).text();
    expect(JSON.stringify([...sent[0]!.headers])).toContain("planted");
    expect(text).toContain("x_limit");
    expect(text).toContain("[secret VENDOR_KEY]");
    expect(text).not.toContain("planted");
    if (!hasSkill) expect(text.startsWith(frames[0]!)).toBe(true);
  });

  it.each([
    ["Hi", "a string"],
    [7, "a number"],
    [null, "null"],
    [["Hi"], "an array"],
    [false, "a boolean"],
  ])("a message that is no object is refused, and nothing is sent: %j", async (strange, named) => {
    const key = await user(api, true);
    const sent = scriptModel();
    const answer = await send(key, [{ role: "user", content: "Hi" }, strange]);
    expect(answer.status).toBe(400);
    const { error: told } = await answer.json<{ error: Record<string, unknown> }>();
    expect(told).toMatchObject({ type: "invalid_request_error", message: expect.stringContaining(`${field}[1]`) });
    expect(told.message).toContain(named);
    if (api !== "anthropic") expect(told).toMatchObject({ param: `${field}[1]`, code: "invalid_type" });
    expect(sent).toEqual([]);
  });
});
