// Without skills, the gateway passes streams and answers of all three protocols through byte for byte, including parts that clients ignore.
// The events follow the types of the SDKs, openai 7.55 (resources/chat/completions/completions.d.ts, resources/responses/responses.d.ts:
// ResponseStreamEvent) and @anthropic-ai/sdk 1.11 (resources/messages/messages.d.ts: RawMessageStreamEvent, ContentBlock,
// RawContentBlockDelta).

import { afterEach, describe, expect, it, vi } from "vitest";
import { call, keyFor } from "../support/call";
import { HOST, scriptModel } from "../support/scripted-model";

const usage = {
  prompt_tokens: 1.0,
  completion_tokens: 2,
  total_tokens: 3,
  prompt_tokens_details: { cached_tokens: 0 },
};
const chunk = (delta: object, more: object = {}) => ({
  ...{
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1_790_000_000,
    model: "gpt-x",
    service_tier: "default",
  },
  ...{
    system_fingerprint: null,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: null }],
    obfuscation: "aB3",
    ...more,
  },
});
const CHUNKS = [
  chunk({ role: "assistant", content: "", refusal: null, annotations: [] }),
  chunk({ reasoning_content: "Hm… 你好 \u2028" }),
  chunk({ content: 'A "quote", a \\ and \u0000' }),
  chunk({ tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "t", arguments: "" } }] }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: '{"n":1e400}' } }] }),
  chunk({}, { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] }),
  chunk({}, { choices: [], usage }),
];

const block = (index: number, content_block: object) => ({ type: "content_block_start", index, content_block });
const delta = (index: number, type: string, more: object) => ({
  type: "content_block_delta",
  index,
  delta: { type, ...more },
});
const stop = (index: number) => ({ type: "content_block_stop", index });
const MESSAGE = [
  {
    type: "message_start",
    message: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "claude-x",
      content: [],
      stop_reason: null,
      usage: { input_tokens: 9 },
    },
  },
  { type: "ping" },
  block(0, { type: "thinking", thinking: "", signature: "" }),
  delta(0, "thinking_delta", { thinking: "Hm." }),
  delta(0, "signature_delta", { signature: "EqQB+/=" }),
  stop(0),
  block(1, { type: "redacted_thinking", data: "EmwK" }),
  stop(1),
  block(2, { type: "text", text: "", citations: [] }),
  delta(2, "text_delta", { text: "Ça va" }),
  delta(2, "citations_delta", { citation: { type: "char_location", cited_text: "x", document_index: 0 } }),
  stop(2),
  block(3, { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} }),
  delta(3, "input_json_delta", { partial_json: "" }),
  stop(3),
  { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 7 } },
  { type: "message_stop" },
];

const response = {
  id: "resp_1",
  object: "response",
  created_at: 1_790_000_000.5,
  status: "in_progress",
  output: [],
  store: false,
};
const at = { item_id: "msg_1", output_index: 1, content_index: 0 };
const RESPONSE = [
  { type: "response.created", response },
  { type: "response.queued", response },
  { type: "response.in_progress", response },
  {
    type: "response.output_item.added",
    output_index: 0,
    item: { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAAA" },
  },
  {
    type: "response.reasoning_summary_part.added",
    item_id: "rs_1",
    output_index: 0,
    summary_index: 0,
    part: { type: "summary_text", text: "" },
  },
  {
    type: "response.reasoning_summary_text.delta",
    item_id: "rs_1",
    output_index: 0,
    summary_index: 0,
    delta: "**Thinking**",
  },
  {
    type: "response.output_item.done",
    output_index: 0,
    item: { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "**Thinking**" }] },
  },
  {
    type: "response.output_item.added",
    output_index: 1,
    item: { type: "message", id: "msg_1", role: "assistant", content: [] },
  },
  { type: "response.content_part.added", ...at, part: { type: "output_text", text: "", annotations: [] } },
  { type: "response.output_text.delta", ...at, delta: "é", logprobs: [], obfuscation: "xyz" },
  {
    type: "response.output_text.annotation.added",
    ...at,
    annotation_index: 0,
    annotation: { type: "url_citation", url: "https://x.example" },
  },
  { type: "response.refusal.delta", ...at, delta: "No." },
  {
    type: "response.image_generation_call.partial_image",
    item_id: "ig_1",
    output_index: 2,
    partial_image_b64: "AA==",
    partial_image_index: 0,
  },
  { type: "response.completed", response: { ...response, status: "completed", usage: { total_tokens: 3 } } },
].map((event, sequence_number) => ({ ...event, sequence_number }));

/** As the vendors write it, and in other ways that the format allows. */
const FORMS: Record<string, (event: object, name: string) => string> = {
  plain: (event) => `data: ${JSON.stringify(event)}\n\n`,
  named: (event, name) => `event: ${name}\ndata: ${JSON.stringify(event)}\n\n`,
  odd: (event, name) =>
    `: note\r\nid: 7\r\nevent:${name}\r\ndata:${JSON.stringify(event, null, 1).replaceAll("\n", "\r\ndata:")}\r\n\r\n`,
};

const PROTOCOLS = {
  "/openai/v1/chat/completions": {
    model: "chat",
    events: CHUNKS,
    end: "data: [DONE]\n\n",
    body: { messages: [{ role: "user", content: "Hi" }] },
  },
  "/openai/v1/responses": { model: "chat", events: RESPONSE, end: "", body: { input: "Hi", store: false } },
  "/anthropic/v1/messages": {
    model: "claude",
    events: MESSAGE,
    end: "",
    body: { max_tokens: 9, messages: [{ role: "user", content: "Hi" }] },
  },
};

function streamOf(pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  const left = [...pieces];
  return new ReadableStream({
    pull: (controller) => {
      const next = left.shift();
      if (next === undefined) controller.close();
      else controller.enqueue(next);
    },
  });
}

let users = 0;

async function user(): Promise<string> {
  const key = await keyFor(`bytes-user-${users++}`);
  const base_url = `https://${HOST}/v1`;
  await call("PUT", "/api/v1/models/chat", {
    key,
    json: { api: ["openai-chat", "openai-responses"], base_url, model: "gpt-x" },
  });
  await call("PUT", "/api/v1/models/claude", { key, json: { api: ["anthropic"], base_url, model: "claude-x" } });
  return key;
}

afterEach(() => vi.restoreAllMocks());

describe.each(Object.entries(PROTOCOLS))("%s", (path, { model, events, end, body }) => {
  it.each(Object.keys(FORMS))("a stream passes byte for byte: %s", async (form) => {
    const text = events.map((event) => FORMS[form]!(event, "type" in event ? event.type : "chunk")).join("") + end;
    const bytes = new TextEncoder().encode(text);
    // Cut at any position, also in the middle of a character.
    const pieces = Array.from({ length: Math.ceil(bytes.length / 97) }, (_, n) => bytes.slice(n * 97, (n + 1) * 97));
    const headers = { "content-type": "text/event-stream; charset=utf-8" };
    const sent = scriptModel(() => new Response(streamOf(pieces), { headers }));
    const asked = { ...body, stream: true, model, unknown: { n: 1 } };
    const answer = await call("POST", path, { key: await user(), json: asked });
    expect(answer.headers.get("content-type")).toBe(headers["content-type"]);
    expect(new Uint8Array(await answer.arrayBuffer())).toEqual(bytes);
    // The request equals the caller's except for the model's name.
    expect(sent[0]!.body).toEqual({ ...asked, model: model === "claude" ? "claude-x" : "gpt-x" });
  });

  it("an answer that is no stream passes as it came", async () => {
    const odd = `{ "id":"x",\n "n":1.0, "big":12345678901234567890, "é":"\\u00e9" }`;
    scriptModel(() => new Response(odd, { headers: { "content-type": "application/json" } }));
    const answer = await call("POST", path, { key: await user(), json: { ...body, model } });
    expect(await answer.text()).toBe(odd);
  });
});
