// Compaction by the vendor: the model no longer reads the summarized messages, so the instructions of a loaded skill are sent once more.
// Content that the caller makes the vendor drop never includes instructions.

import { afterEach, expect, it, vi } from "vitest";
import { call, keyFor } from "../support/call";
import { publishOwn } from "../support/chat-turns";
import { HOST, type Reply, type Sent, scriptModel } from "../support/scripted-model";

const BODY = `Count 5, 7, 5 syllables.\n\n${"Watch the moon, the frog and the pond. ".repeat(300)}`;
type Json = Record<string, unknown>;

let users = 0;
afterEach(() => vi.restoreAllMocks());

async function user(api: string, allow: object = {}): Promise<string> {
  const key = await keyFor(`summing-user-${users++}`);
  await publishOwn(key, { name: "haiku", description: "Write a haiku.", body: BODY });
  const base_url = `https://${HOST}${api === "anthropic" ? "" : "/v1"}`;
  await call("PUT", "/api/v1/models/m", { key, json: { api: [api], base_url, model: "v", allow } });
  return key;
}

const streamOf = (events: Json[]): Reply => {
  const text = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  return () => new Response(text, { headers: { "content-type": "text/event-stream" } });
};

function response(id: string, items: Json[]): Reply {
  const told = items.flatMap((item, output_index) => [
    { type: "response.output_item.added", output_index, item },
    { type: "response.output_item.done", output_index, item },
  ]);
  const end = { type: "response.completed", response: { id, status: "completed", output: items, usage: {} } };
  return streamOf([{ type: "response.created", response: { id, output: [] } }, ...told, end]);
}
const words = (id: string, text: string) => ({
  ...{ type: "message", id: `msg_${id}`, role: "assistant", status: "completed" },
  content: [{ type: "output_text", text, annotations: [] }],
});

function message(id: string, blocks: Json[], stop_reason: string): Reply {
  const start = { type: "message_start", message: { id, type: "message", role: "assistant", content: [], usage: {} } };
  const told = blocks.flatMap((content_block, index) => [
    { type: "content_block_start", index, content_block },
    { type: "content_block_stop", index },
  ]);
  return streamOf([
    start,
    ...told,
    { type: "message_delta", delta: { stop_reason }, usage: {} },
    { type: "message_stop" },
  ]);
}

const PROTOCOLS = {
  Responses: {
    ...{ api: "openai-responses", path: "/openai/v1/responses", field: "input" },
    load: response("a", [
      {
        ...{ type: "function_call", id: "fc_a", call_id: "call_1", name: "load_skill" },
        arguments: '{"skill_name":"haiku"}',
      },
    ]),
    say: (id: string) => response(id, [words(id, `Said in ${id}.`)]),
    sum: (id: string) =>
      response(id, [{ type: "compaction", id: `cmp_${id}`, encrypted_content: "s" }, words(id, `Said in ${id}.`)]),
    shown: ({ output }: Json) => output as Json[],
  },
  Messages: {
    ...{ api: "anthropic", path: "/anthropic/v1/messages", field: "messages" },
    load: message(
      "a",
      [{ type: "tool_use", id: "call_1", name: "load_skill", input: { skill_name: "haiku" } }],
      "tool_use",
    ),
    say: (id: string) => message(id, [{ type: "text", text: `Said in ${id}.` }], "end_turn"),
    sum: (id: string) =>
      message(
        id,
        [
          { type: "compaction", content: "So far." },
          { type: "text", text: `Said in ${id}.` },
        ],
        "end_turn",
      ),
    shown: ({ content }: Json): Json[] => [{ role: "assistant", content }],
  },
};

it.each(Object.entries(PROTOCOLS))("%s: after a summary the instructions are sent again, once", async (_, protocol) => {
  const { api, path, field, load, say, sum, shown } = protocol;
  const key = await user(api);
  const sent = scriptModel(load, say("b"), sum("c"), say("d"), say("e"));
  let history: Json[] = [];
  for (const text of ["One.", "Two.", "Three.", "Four."]) {
    history = [...history, { role: "user", content: text }];
    const json = { model: "m", max_tokens: 100, store: false, [field]: history };
    const answer = await call("POST", path, { key, json });
    expect([text, answer.status]).toEqual([text, 200]);
    history.push(...shown(await answer.json<Json>()));
  }
  const listOf = ({ body }: Sent) => (body[field] as unknown[]).map((one) => JSON.stringify(one));
  const [, , two, three, four] = sent.map(listOf);
  const summary = three!.findIndex((one) => one.includes("compaction"));
  const told = (list: string[]) => list.filter((one) => one.includes("Count 5, 7, 5")).length;
  expect(summary).toBeGreaterThan(0);
  expect([told(two!), told(three!.slice(0, summary)), told(three!.slice(summary)), told(four!)]).toEqual([1, 1, 1, 2]);
  expect(four!.slice(0, three!.length)).toEqual(three);
});

it("Messages: what a caller has cleared are no instructions", async () => {
  const key = await user("anthropic");
  const sent = scriptModel(message("a", [{ type: "text", text: "Hi." }], "end_turn"));
  const edits = [
    { type: "clear_thinking_20251015" },
    { type: "clear_tool_uses_20250919", exclude_tools: ["web"], keep: 3 },
  ];
  const messages = [{ role: "user", content: "One." }];
  await call("POST", "/anthropic/v1/messages", {
    ...{ key, json: { model: "m", max_tokens: 9, messages, context_management: { edits, x_new: 1 } } },
  });
  expect(sent[0]!.body.context_management).toEqual({
    edits: [edits[0], { ...edits[1], exclude_tools: ["web", "load_skill"] }],
    x_new: 1,
  });
});

it("Responses: if the vendor can drop the first items, the gateway's text is not among them", async () => {
  const key = await user("openai-responses");
  const sent = scriptModel(response("a", [words("a", "Hi.")]), response("b", [words("b", "Hi.")]));
  for (const truncation of ["auto", "disabled"])
    await call("POST", "/openai/v1/responses", {
      ...{ key, json: { model: "m", input: "One.", instructions: "Theirs.", truncation } },
    });
  const parts = sent.map(({ body }) => [body.instructions, body.input].map((part) => JSON.stringify(part)));
  expect(parts.map((part) => part.map((text) => text.includes("haiku")))).toEqual([
    [true, false],
    [false, true],
  ]);
  expect(parts[0]![0]).toMatch(/Theirs\."$/);
});
