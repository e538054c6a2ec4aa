// The chat endpoint with a vendor: requests to it, stored data, and errors when it fails.

import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { call, keyFor } from "../support/call";
import { publishOwn } from "../support/chat-turns";
import { calling, chunks, ENTRY, failing, HOST, type Sent, saying, scriptModel } from "../support/scripted-model";

const CHAT = "/openai/v1/chat/completions";
const BODY = `Count 5, 7, 5 syllables.\n\n${"Watch the moon, the frog and the pond. ".repeat(300)}`;
const KEY = "$" + "{{secrets.VENDOR_KEY}}";
const PLANTED = "sk-planted-vendor-key-77aa";

type Message = Record<string, unknown>;

let users = 0;

/** A user with a skill, if there is to be one, and a model `m`. */
async function user(hasSkill = true): Promise<string> {
  const key = await keyFor(`vendor-user-${users++}`);
  if (hasSkill) await publishOwn(key, { name: "haiku", description: "Write a haiku.", body: BODY });
  await call("PUT", "/api/v1/secrets/VENDOR_KEY", { key, json: { value: PLANTED, hosts: [HOST] } });
  await call("PUT", "/api/v1/models/m", { key, json: { ...ENTRY, key: KEY } });
  return key;
}

const say = (text: string): Message => ({ role: "user", content: text });
const load = (id: string): [string, string, object] => [id, "load_skill", { skill_name: "haiku" }];
const read = (id: string): [string, string, object] => [id, "read_skill", { skill_name: "haiku" }];

function send(key: string, messages: Message[], more: object = {}, headers: Record<string, string> = {}) {
  return call("POST", CHAT, { key, json: { model: "m", messages, ...more }, headers });
}

interface Completion {
  id: string;
  choices: { message: Message & { content: string; tool_calls?: { id: string }[] }; finish_reason: string }[];
  usage: object;
}
async function ask(key: string, messages: Message[], more: object = {}, headers: Record<string, string> = {}) {
  const answer = await send(key, messages, more, headers);
  if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
  return answer.json<Completion>();
}
const rolesIn = ({ body }: Sent) => body.messages.map(({ role }) => role);

afterEach(() => vi.restoreAllMocks());

describe("without a skill", () => {
  it("a request can continue with another model, and its answer is returned byte for byte", async () => {
    const key = await user(false);
    const odd = `data: {"id":"x","choices":[{"delta":{"content":"é"}}],  "n":1.0}\r\n\r\n: a comment\n\ndata: [DONE]\n\n`;
    const headers = { "content-type": "text/event-stream; charset=utf-8" };
    const sent = scriptModel(
      () => new Response(odd, { headers }),
      failing(400, { error: { message: "bad", code: "x_1" } }),
    );
    const asked = { stream: true, unknown_field: { deep: [1, 2] }, temperature: 0.5 };
    const answer = await send(key, [say("Hi")], asked);
    expect([await answer.text(), answer.headers.get("content-type")]).toEqual([odd, headers["content-type"]]);
    expect(sent[0]!.body).toEqual({ ...asked, model: "vendor-model-1", messages: [say("Hi")] });
    expect([sent[0]!.url, sent[0]!.headers.get("authorization")]).toEqual([
      `${ENTRY.base_url}/chat/completions`,
      `Bearer ${PLANTED}`,
    ]);
    const refused = await send(key, [say("Hi")]);
    expect([refused.status, await refused.json()]).toEqual([400, { error: { message: "bad", code: "x_1" } }]);
  });

  it("the key is never shown, and a rejected key is not reported as the caller's error", async () => {
    const key = await user(false);
    const other = await keyFor("vendor-thief");
    const said = { error: { message: `Incorrect API key provided: ${PLANTED}` } };
    scriptModel(failing(401, said), failing(429, said));
    const auth = await send(key, [say("Hi")]);
    expect([auth.status, await auth.json()]).toMatchObject([502, { error: { code: "upstream_auth" } }]);
    const busy = await send(key, [say("Hi")]);
    expect(busy.status).toBe(429);
    expect(await busy.text()).not.toContain(PLANTED);
    // Another user's model of the same name is not this one's, and cannot name this one's secret.
    expect((await send(other, [say("Hi")])).status).toBe(404);
    await call("PUT", "/api/v1/models/m", { key: other, json: { ...ENTRY, key: KEY } });
    const stolen = await send(other, [say("Hi")]);
    expect([stolen.status, await stolen.text()]).toEqual([502, expect.stringContaining("the secret 'VENDOR_KEY'")]);
  });

  it("the gateway's secret is not a user's to spend", async () => {
    await call("PUT", "/api/v1/secrets/GATEWAYS", { json: { value: PLANTED, hosts: [HOST], scope: "gateway" } });
    const key = await keyFor("vendor-spender");
    await call("PUT", "/api/v1/models/m", { key, json: { ...ENTRY, key: KEY.replace("VENDOR_KEY", "GATEWAYS") } });
    const sent = scriptModel();
    expect((await send(key, [say("Hi")])).status).toBe(502);
    expect(sent).toEqual([]);
  });
});

describe("with a skill", () => {
  it("each request begins with the one before, and what the vendor wrote goes back as it came", async () => {
    const key = await user();
    const thought = { reasoning_content: "Hm.", extra_content: { vendor: { signature: "s-1" } } };
    const sent = scriptModel(
      calling("a", [load("call_1")], "Let me see.", thought),
      saying("b", "A haiku.", { reasoning_content: "So." }),
      saying("c", "Another."),
    );
    const first = await ask(key, [say("One.")]);
    expect(first.choices[0]).toMatchObject({
      message: { role: "assistant", content: "Let me see.\n\nA haiku." },
      finish_reason: "stop",
    });
    expect([first.id, first.usage]).toEqual(["a", { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 }]);
    const { message } = first.choices[0]!;
    await ask(key, [say("One."), { role: "assistant", content: message.content }, say("Two.")]);
    expect(sent.map(rolesIn)).toEqual([
      ["system", "user"],
      ["system", "user", "assistant", "tool"],
      ["system", "user", "assistant", "tool", "assistant", "user"],
    ]);
    expect(sent[1]!.body.messages[2]).toEqual({
      ...{ role: "assistant", content: "Let me see.", ...thought },
      tool_calls: [
        { id: "call_1", type: "function", function: { name: "load_skill", arguments: '{"skill_name":"haiku"}' } },
      ],
    });
    expect(sent[2]!.body.messages[4]).toMatchObject({ content: "A haiku.", reasoning_content: "So." });
    for (const [before, next] of [
      [sent[0]!, sent[1]!],
      [sent[1]!, sent[2]!],
    ] as const) {
      const lines = before.body.messages.map((one) => JSON.stringify(one));
      expect(next.body.messages.slice(0, lines.length).map((one) => JSON.stringify(one))).toEqual(lines);
      expect([next.body.tools, next.body.prompt_cache_key]).toEqual([before.body.tools, before.body.prompt_cache_key]);
    }
  });

  it("a step that fails late is retried once, and then its status is returned", async () => {
    const key = await user();
    const sent = scriptModel(
      calling("a", [load("call_1")]),
      calling("b", [read("call_2")]),
      ...[failing(500), failing(500)],
    );
    expect((await send(key, [say("One.")])).status).toBe(500);
    expect(sent).toHaveLength(4);
    const again = scriptModel(calling("a", [load("call_1")]), failing(503), saying("b", "There."));
    expect((await ask(key, [say("Two.")])).choices[0]!.message.content).toBe("There.");
    expect(again[2]!.text).toBe(again[1]!.text);
  });

  it("in a named chat nothing is run twice after a failure, whether the SDK repeats it or the user", async () => {
    for (const count of ["0", "1"]) {
      const headers = { "x-stainless-retry-count": count };
      const key = await user();
      const named = { "x-conversation-id": "work" };
      const sent = scriptModel(
        calling("a", [load("call_1")], "First."),
        chunks("b", [{ role: "assistant", content: "cut" }], null),
        saying("c", "Done."),
      );
      const failed = await send(key, [say("One.")], {}, named);
      expect([failed.status, await failed.json()]).toMatchObject([502, { error: { code: "model_broke_off" } }]);
      const again = await ask(key, [say("One.")], {}, { ...named, ...headers });
      expect(again.choices[0]!.message.content).toBe("First.\n\nDone.");
      expect(rolesIn(sent[2]!)).toEqual(["system", "user", "assistant", "tool"]);
      const { events } = await (await call("GET", "/api/v1/conversations/work/events", { key })).json<{
        events: { type: string }[];
      }>();
      expect(events.map(({ type }) => type)).toEqual(["turn", "loaded"]);
    }
  });

  it("a stream that fails ends with the vendor's error and no end of its own", async () => {
    const key = await user();
    scriptModel(calling("a", [load("call_1")], "Hello"), failing(529), failing(529));
    const text = await (await send(key, [say("One.")], { stream: true })).text();
    expect(text).toContain('"content":"Hello"');
    expect(text).toMatch(/data: \{"error":\{[^\n]*\n\n$/);
    expect(text).not.toContain("[DONE]");
  });

  it("keeps the name of the caller's tool and the order of both kinds of calls, and adds a missing result", async () => {
    const key = await user();
    const mine = { type: "function", function: { name: "load_skill", parameters: { type: "object", properties: {} } } };
    const sent = scriptModel(
      calling("a", [
        ["call_t", "load_skill", {}],
        ["call_o", "skills_load_skill", { skill_name: "haiku" }],
      ]),
      saying("b", "Fine."),
    );
    const first = await ask(key, [say("One.")], { tools: [mine] });
    const { message, finish_reason } = first.choices[0]!;
    expect([finish_reason, message.tool_calls?.map(({ id }) => id)]).toEqual(["tool_calls", ["call_t"]]);
    expect(sent[0]!.body.tools?.map(({ function: { name } }) => name)).toContain("skills_load_skill");
    await ask(key, [say("One."), message, say("Never mind.")], { tools: [mine] });
    const results = sent[1]!.body.messages.slice(3, 5).map(({ tool_call_id: id, content }) => [id, content]);
    expect(results).toEqual([
      ["call_t", expect.stringContaining("continued before this tool returned")],
      ["call_o", expect.stringContaining("Count 5, 7, 5")],
    ]);
  });

  it("an end for length runs nothing, and the last step may call nothing", async () => {
    const key = await user();
    const cut = chunks(
      "a",
      [
        { role: "assistant", content: "Half" },
        {
          tool_calls: [{ index: 0, id: "x", type: "function", function: { name: "load_skill", arguments: '{"skill' } }],
        },
      ],
      "length",
    );
    scriptModel(cut);
    const short = await ask(key, [say("One.")]);
    expect(short.choices[0]).toMatchObject({ finish_reason: "length", message: { content: "Half" } });
    const steps = Array.from({ length: 15 }, (_, n) => calling(`s${n}`, [read(`call_${n}`)]));
    const sent = scriptModel(...steps, calling("end", [read("call_end")], "Enough."));
    const long = await ask(key, [say("Two.")], { max_tokens: 100 });
    expect(long.choices[0]).toMatchObject({ finish_reason: "stop", message: { content: "Enough." } });
    expect(sent.map(({ body }) => body.tool_choice)).toEqual([...Array(15).fill(undefined), "none"]);
    expect(sent.map(({ body }) => body.max_tokens).slice(0, 3)).toEqual([100, 95, 90]);
    expect(new Set(sent.map(({ body }) => JSON.stringify(body.tools))).size).toBe(1);
  });

  it("with a response format only the last step's text is given out", async () => {
    const key = await user();
    scriptModel(calling("a", [load("call_1")], "Thinking aloud."), saying("b", '{"ok":true}'));
    const answer = await ask(key, [say("One.")], { response_format: { type: "json_object" } });
    expect(answer.choices[0]!.message.content).toBe('{"ok":true}');
  });

  it("a chat that is deleted while it runs stays deleted", async () => {
    const key = await user();
    const named = { "x-conversation-id": "gone" };
    const gone = async () => {
      await call("DELETE", "/api/v1/conversations/gone", { key });
      return calling("b", [read("call_2")])();
    };
    const sent = scriptModel(calling("a", [load("call_1")]), gone);
    const answer = await send(key, [say("One.")], {}, named);
    expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining("conversation_not_found")]);
    expect(sent).toHaveLength(2);
    expect((await call("GET", "/api/v1/conversations/gone", { key })).status).toBe(404);
  });

  it("an answer is bounded where the entry says so, and the vendor learns of no user's name", async () => {
    const key = await user(false);
    await call("PUT", "/api/v1/models/m", { key, json: { ...ENTRY, allow: { max_output_tokens: 50 } } });
    const sent = scriptModel(saying("a", "Hi."), saying("b", "Hi."));
    await send(key, [say("One.")], { user: "ada@example.com", metadata: { conversation_id: "c-9" } });
    expect(sent[0]!.body).toMatchObject({ max_completion_tokens: 50, user: expect.stringMatching(/^[0-9a-f]{32}$/) });
    expect(sent[0]!.body).not.toHaveProperty("metadata");
    expect((await send(key, [say("One.")], { max_tokens: 51 })).status).toBe(400);
  });

  it("stores no key", async () => {
    const key = await user();
    const echo = { error: { message: `your key ${PLANTED}` } };
    scriptModel(calling("a", [load("call_1")]), failing(400, echo));
    expect(await (await send(key, [say("One.")], {}, { "x-conversation-id": "kept" })).text()).not.toContain(PLANTED);
    const told = await (await call("GET", `/api/v1/users/vendor-user-${users - 1}/export`, { key })).text();
    expect(told).not.toContain(PLANTED);
    expect(JSON.stringify((await env.DB.prepare("SELECT * FROM models").all()).results)).not.toContain(PLANTED);
  });
});
