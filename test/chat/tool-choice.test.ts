// `tool_choice` of the caller in each protocol: the answer contains a call of the caller's own tool, or none, as requested.

import { afterEach, describe, expect, it, vi } from "vitest";
import { call, keyFor } from "../support/call";
import { publishOwn } from "../support/chat-turns";
import { calling, ENTRY, failing, HOST, type Reply, type Sent, saying, scriptModel } from "../support/scripted-model";

const BODY = `Count 5, 7, 5 syllables.\n\n${"Watch the moon, the frog and the pond. ".repeat(300)}`;
const PARAMETERS = { type: "object", properties: {} };

type Json = Record<string, unknown>;
type Call = [id: string, name: string, input: object];
const load: Call = ["call_load", "load_skill", { skill_name: "haiku" }];
const read = (n: number): Call => [`call_${n}`, "read_skill", { skill_name: "haiku" }];
const own: Call = ["call_own", "get_time", {}];

const streamOf = (events: Json[]): Reply => {
  const text = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  return () => new Response(text, { headers: { "content-type": "text/event-stream" } });
};

/** A step that calls, in each protocol. */
const messageCalling = ([id, name, input]: Call): Reply =>
  streamOf([
    { type: "message_start", message: { id: "msg_1", type: "message", role: "assistant", content: [], usage: {} } },
    { type: "content_block_start", index: 0, content_block: { type: "tool_use", id, name, input: {} } },
    { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: JSON.stringify(input) } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 5 } },
    { type: "message_stop" },
  ]);
const responseCalling = ([call_id, name, input]: Call): Reply => {
  const item = { type: "function_call", id: `fc_${call_id}`, call_id, name, arguments: JSON.stringify(input) };
  return streamOf([
    { type: "response.created", response: { id: "resp_1", status: "in_progress", output: [] } },
    { type: "response.output_item.added", output_index: 0, item },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: { id: "resp_1", status: "completed", output: [item], usage: {} } },
  ]);
};

const PROTOCOLS = {
  "Chat Completions": {
    ...{
      api: "openai-chat",
      path: "/openai/v1/chat/completions",
      field: "messages",
      ended: '"finish_reason":"tool_calls"',
    },
    step: (made: Call): Reply => calling("a", [made]),
    tool: { type: "function", function: { name: "get_time", parameters: PARAMETERS } },
    ...{ required: "required", none: "none" },
    named: (name: string) => ({ type: "function", function: { name } }),
  },
  Responses: {
    ...{ api: "openai-responses", path: "/openai/v1/responses", field: "input", ended: '"status":"completed"' },
    step: responseCalling,
    tool: { type: "function", name: "get_time", parameters: PARAMETERS, strict: null },
    ...{ required: "required", none: "none" },
    named: (name: string) => ({ type: "function", name }),
  },
  Messages: {
    ...{ api: "anthropic", path: "/anthropic/v1/messages", field: "messages", ended: '"stop_reason":"tool_use"' },
    step: messageCalling,
    tool: { name: "get_time", input_schema: PARAMETERS },
    ...{ required: { type: "any", disable_parallel_tool_use: true }, none: { type: "none" } },
    named: (name: string) => ({ type: "tool", name }),
  },
};

let users = 0;
afterEach(() => vi.restoreAllMocks());

async function user(api: string): Promise<string> {
  const key = await keyFor(`choosing-user-${users++}`);
  await publishOwn(key, { name: "haiku", description: "Write a haiku.", body: BODY });
  const base_url = api === "anthropic" ? `https://${HOST}` : ENTRY.base_url;
  await call("PUT", "/api/v1/models/m", { key, json: { ...ENTRY, api: [api], base_url } });
  return key;
}

const namesIn = ({ body }: Sent) => (body.tools ?? []).map((tool) => tool.function?.name ?? (tool as Json).name);

describe.each(Object.entries(PROTOCOLS))("%s", (_, { api, path, field, ended, step, tool, required, none, named }) => {
  const send = (key: string, more: object, messages: unknown[] = [{ role: "user", content: "One." }]) =>
    call("POST", path, { key, json: { model: "m", max_tokens: 100, store: false, [field]: messages, ...more } });

  it("a call that is required is one of the caller's, however many of ours come before it", async () => {
    const key = await user(api);
    const sent = scriptModel(step(load), step(read(1)), step(own));
    const text = await (await send(key, { tools: [tool], tool_choice: required })).text();
    expect(text).toContain('"call_own"');
    expect(text).toContain(ended);
    expect(text).not.toContain("load_skill");
    expect(sent.map(({ body }) => body.tool_choice)).toEqual([required, required, required]);
    expect(new Set(sent.map(({ body }) => JSON.stringify(body.tools))).size).toBe(1);
  });

  it("where ours are called again and again, the last step has the caller's tools alone", async () => {
    const key = await user(api);
    const sent = scriptModel(...Array.from({ length: 15 }, (_, n) => step(read(n))), step(own));
    expect(await (await send(key, { tools: [tool], tool_choice: required })).text()).toContain('"call_own"');
    expect(sent).toHaveLength(16);
    expect(sent.every(({ body }) => JSON.stringify(body.tool_choice) === JSON.stringify(required))).toBe(true);
    expect(namesIn(sent[14]!)).toContain("load_skill");
    expect(sent[15]!.body.tools).toEqual([tool]);
  });

  it("one that the caller does not have is for the vendor to refuse", async () => {
    const key = await user(api);
    const sent = scriptModel(failing(400), failing(400));
    for (const more of [{ tool_choice: required }, { tools: [tool], tool_choice: named("load_skill") }])
      expect((await send(key, more)).status).toBe(400);
    for (const request of sent) expect(namesIn(request)).not.toContain("load_skill");
  });

  it("with a tool that is named, or none, a new chat goes to the model as it is", async () => {
    const key = await user(api);
    for (const tool_choice of [named("get_time"), none]) {
      const sent = scriptModel(step(own));
      const answer = await send(key, { tools: [tool], tool_choice, stream: true });
      expect([answer.headers.get("x-skills"), namesIn(sent[0]!)]).toEqual(["off; tool_choice", ["get_time"]]);
      vi.restoreAllMocks();
    }
  });

  it("in a chat that has something hidden the model is sent that, and what it is sent begins as before", async () => {
    const key = await user(api);
    const sent = scriptModel(step(load), step(own), step(["call_2", "get_time", {}]), step(["call_3", "get_time", {}]));
    const ask = async (shown: unknown[], tool_choice?: unknown) => {
      const answer = await send(key, { tools: [tool], ...(tool_choice === undefined ? {} : { tool_choice }) }, shown);
      expect(answer.status).toBe(200);
      return answer.json<Json>();
    };
    const asked = [{ role: "user", content: "One." }];
    const shown = [...asked, ...madeOf(await ask(asked)), ...resultOf("call_own", api)];
    const then = [...shown, ...madeOf(await ask(shown, named("get_time"))), ...resultOf("call_2", api)];
    await ask(then, none);
    expect(sent.map(({ body }) => body.tool_choice)).toEqual([undefined, undefined, named("get_time"), none]);
    expect(new Set(sent.map(({ body }) => JSON.stringify([body.tools, body.system]))).size).toBe(1);
    const lists = sent.map(({ body }) => (body[field] as unknown[]).map((one) => JSON.stringify(one)));
    for (const [at, list] of lists.slice(1).entries()) expect(list.slice(0, lists[at]!.length)).toEqual(lists[at]);
    expect(lists[3]!.join()).toContain("Count 5, 7, 5");
  });
});

/** Returns the messages that a client stores for an answer, with the result of its call. */
function madeOf(answer: Json): unknown[] {
  if (Array.isArray(answer.output)) return answer.output;
  if (Array.isArray(answer.choices)) return [(answer.choices[0] as Json).message];
  return [{ role: "assistant", content: answer.content }];
}

function resultOf(id: string, api: string): unknown[] {
  if (api === "openai-responses") return [{ type: "function_call_output", call_id: id, output: "noon" }];
  if (api === "openai-chat") return [{ role: "tool", tool_call_id: id, content: "noon" }];
  return [{ role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "noon" }] }];
}

it("a call of a tool with free-text input belongs to the caller too", async () => {
  const key = await user("openai-chat");
  const custom = { id: "call_own", type: "custom", custom: { name: "shell", input: "ls" } };
  const chunk = (delta: object, finish_reason: string | null) => ({
    ...{ id: "b", object: "chat.completion.chunk", created: 7, model: "vendor-model-1" },
    choices: [{ index: 0, delta, finish_reason }],
  });
  const events = [
    chunk({ role: "assistant", content: null, tool_calls: [{ index: 0, ...custom }] }, null),
    chunk({}, "tool_calls"),
  ];
  const last = `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")}data: [DONE]\n\n`;
  const sent = scriptModel(calling("a", [load]), () => new Response(last), saying("c", "There."));
  const tools = [{ type: "custom", custom: { name: "shell" } }];
  const asked = [{ role: "user", content: "One." }];
  const send = (messages: unknown[]) =>
    call("POST", "/openai/v1/chat/completions", { key, json: { model: "m", messages, tools } });
  const { choices } = await (await send(asked)).json<{ choices: { message: Json; finish_reason: string }[] }>();
  expect(choices[0]).toMatchObject({ message: { tool_calls: [custom] }, finish_reason: "tool_calls" });
  const result = { role: "tool", tool_call_id: "call_own", content: "a.txt" };
  expect((await send([...asked, choices[0]!.message, result])).status).toBe(200);
  expect(sent[2]!.body.messages.map(({ role }) => role)).toEqual([
    "system",
    "user",
    "assistant",
    "tool",
    "assistant",
    "tool",
  ]);
});
