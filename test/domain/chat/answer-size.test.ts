// The size limit of an assembled answer: it accepts everything that models write, and rejects the output of a hostile server.

import { describe, expect, it } from "vitest";
import { MessageMerger } from "../../../src/domain/chat/anthropic/message-merger";
import { ChatMerger } from "../../../src/domain/chat/openai/chat-merger";
import { ResponsesMerger } from "../../../src/domain/chat/openai/responses-merger";
import type { Merger } from "../../../src/domain/chat/protocol";

const push = (merger: Merger, data: object) =>
  merger.push({ type: "message", id: null, data: JSON.stringify(data), retry: null });
const options = { isTheirs: () => true, usage: "sum" } as const;
const chunk = (delta: object) => ({ id: "c", created: 1, model: "m", choices: [{ index: 0, delta }] });
const call = (index: number, text: string) => ({ tool_calls: [{ index, function: { arguments: text } }] });
const named = { tool_calls: [{ index: 0, id: "t", type: "function", function: { name: "f", arguments: "" } }] };
const block = (index: number, content_block: object) => ({ type: "content_block_start", index, content_block });
const piece = (delta: object) => ({ type: "content_block_delta", index: 0, delta });

const item = (output_index: number, item: object) => ({ type: "response.output_item.added", output_index, item });
const said = (type: string) => ({
  ...{ type, item_id: "msg_0123456789abcdef", output_index: 0, content_index: 0, delta: " tok", logprobs: [] },
  ...{ sequence_number: 7, obfuscation: "xyzxyzxyz" },
});
const json = { text: { format: { type: "json_object" } } };

const fields = (at: number) =>
  Object.fromEntries(Array.from({ length: 50 }, (_, of) => [`x_${at}_${of}`, "y".repeat(2_000)]));

/** Whether an answer of this many events is assembled. */
function fits(merger: Merger, first: object[], event: (at: number) => object, times: number): boolean {
  for (const one of first) push(merger, one);
  try {
    for (let at = 0; at < times; at++) push(merger, event(at));
    return true;
  } catch (error) {
    expect(error).toMatchObject({ status: 502, code: "model_too_large" });
    return false;
  }
}

describe("an answer of 128 000 tokens, one in each event", () => {
  it.each<[string, Merger, object[], object]>([
    ["a text", new ChatMerger({}, options), [], chunk({ content: " tok" })],
    [
      "a text that is held",
      new ChatMerger({ response_format: { type: "json_object" } }, options),
      [],
      chunk({ content: "x" }),
    ],
    [
      "a text of blocks",
      new MessageMerger({}, options),
      [block(0, { type: "text", text: "" })],
      piece({ type: "text_delta", text: " tok" }),
    ],
    [
      "thoughts",
      new MessageMerger({}, options),
      [block(0, { type: "thinking", thinking: "" })],
      piece({ type: "thinking_delta", thinking: " tok" }),
    ],
    [
      "a text of items",
      new ResponsesMerger({}, options),
      [item(0, { type: "message" })],
      said("response.output_text.delta"),
    ],
    [
      "a text of items that is held",
      new ResponsesMerger(json, options),
      [item(0, { type: "message" })],
      said("response.output_text.delta"),
    ],
    [
      "thoughts of items",
      new ResponsesMerger({}, options),
      [item(0, { type: "reasoning" })],
      said("response.reasoning_text.delta"),
    ],
  ])("is put together: %s", (_, merger, first, event) => {
    expect(fits(merger, first, () => event, 128_000)).toBe(true);
  });
});

describe("answers that would exhaust the memory", () => {
  it.each<[string, Merger, object[], (at: number) => object]>([
    ["calls", new ChatMerger({}, options), [], (at) => chunk(call(at, ""))],
    ["pieces of the caller's call", new ChatMerger({}, options), [chunk(named)], () => chunk(call(0, ""))],
    ["fields", new ChatMerger({}, options), [], (at) => chunk(fields(at))],
    ["blocks", new MessageMerger({}, options), [], (at) => block(at, {})],
    [
      "citations",
      new MessageMerger({}, options),
      [block(0, { type: "text", text: "" })],
      () => piece({ type: "citations_delta", citation: {} }),
    ],
    ["fields of the usage", new MessageMerger({}, options), [], (at) => ({ type: "message_delta", usage: fields(at) })],
    ["items", new ResponsesMerger({}, options), [], (at) => item(at, {})],
    [
      "an item again and again",
      new ResponsesMerger({}, options),
      [],
      () => item(0, { type: "message", of: "y".repeat(999) }),
    ],
    [
      "thoughts without an end",
      new ResponsesMerger({}, options),
      [item(0, { type: "reasoning" })],
      (at) => ({ ...said("response.reasoning_text.delta"), content_index: at }),
    ],
  ])("ends: %s", (_, merger, first, event) => {
    expect(fits(merger, first, event, 1_100_000)).toBe(false);
  });
});

it("sixteen steps whose model repeats large tools and instructions are merged", () => {
  const parameters = { properties: Object.fromEntries(properties(40)), required: [] };
  const tools = Array.from({ length: 128 }, (_, at) => ({ type: "function", name: `tool_${at}`, parameters }));
  const response = { id: "r", instructions: "i".repeat(200_000), tools, output: [], usage: { total_tokens: 1 } };
  const merger = new ResponsesMerger({}, options);
  for (let step = 0; step < 16; step++) {
    for (const type of ["response.created", "response.in_progress", "response.completed"])
      push(merger, { type, response: { ...response, status: "completed" } });
    merger.inner();
  }
  expect(merger.tokens.all).toBe(16);
});

function properties(count: number): [string, object][] {
  return Array.from({ length: count }, (_, at) => [`field_${at}`, { type: "string", description: "d".repeat(60) }]);
}
