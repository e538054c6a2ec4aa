// Unknown fields survive the merging of stream events in all protocols.

import fc from "fast-check";
import { expect, it } from "vitest";
import { MessageMerger } from "../../../src/domain/chat/anthropic/message-merger";
import { addUsage, mergePiece } from "../../../src/domain/chat/merge";
import { ChatMerger } from "../../../src/domain/chat/openai/chat-merger";
import { ResponsesMerger } from "../../../src/domain/chat/openai/responses-merger";
import type { JsonObject } from "../../../src/domain/json";

const field = fc.stringMatching(/^x_[a-z]{1,8}$/);
const value = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.boolean(),
  fc.dictionary(field, fc.string()),
  fc.array(fc.string()),
);
const unknown = fc.dictionary(field, value, { maxKeys: 4 });
const event = (data: object) => ({ type: "message", id: null, data: JSON.stringify(data), retry: null });
const theirs = { isTheirs: () => true, usage: "sum" } as const;
const dataOf = (text: string): JsonObject[] =>
  [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data]) => JSON.parse(data ?? ""));

it("Chat Completions: in chunks, in the message that goes back, and in the answer as a whole", () => {
  fc.assert(
    fc.property(unknown, unknown, unknown, (inChunk, inDelta, inChoice) => {
      const merger = new ChatMerger({}, theirs);
      const shell = { id: "a", created: 1, model: "m", ...inChunk };
      const choice = { index: 0, ...inChoice };
      const said = merger.push(event({ ...shell, choices: [{ ...choice, delta: { role: "assistant", ...inDelta } }] }));
      const [chunk] = dataOf(said);
      expect(chunk).toMatchObject(inChunk);
      expect(chunk).toMatchObject({ choices: [{ ...inChoice, delta: inDelta }] });
      merger.push(event({ ...shell, choices: [{ index: 0, delta: { content: "Hi" } }] }));
      merger.push(event({ ...shell, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }));
      expect(merger.message).toEqual({ role: "assistant", content: "Hi", ...inDelta });
      merger.finish();
      expect(merger.whole()).toMatchObject({ ...inChunk, choices: [{ ...inChoice, message: inDelta }] });
    }),
  );
});

it("Messages: in events, in blocks of unknown types, and in the message that is sent back", () => {
  fc.assert(
    fc.property(unknown, unknown, unknown, (inMessage, inBlock, inEvent) => {
      const merger = new MessageMerger({}, theirs);
      merger.push(event({ type: "message_start", message: { id: "a", role: "assistant", ...inMessage } }));
      const block = { type: "new_block", ...inBlock };
      const begun = merger.push(event({ type: "content_block_start", index: 0, content_block: block, ...inEvent }));
      expect(dataOf(begun)).toEqual([{ type: "content_block_start", index: 0, content_block: block, ...inEvent }]);
      expect(dataOf(merger.push(event({ type: "new_event", ...inEvent })))).toEqual([
        { type: "new_event", ...inEvent },
      ]);
      merger.push(event({ type: "message_delta", delta: { stop_reason: "end_turn" } }));
      merger.push(event({ type: "message_stop" }));
      expect(merger.message).toEqual({ role: "assistant", content: [block] });
      merger.finish();
      expect(merger.whole()).toMatchObject({ ...inMessage, content: [block] });
    }),
  );
});

it("Responses: in events, in items of unknown types, and in the step that is sent back", () => {
  fc.assert(
    fc.property(unknown, unknown, unknown, (inResponse, inItem, inEvent) => {
      const merger = new ResponsesMerger({}, theirs);
      const response = { id: "r", output: [], ...inResponse };
      const begun = merger.push(event({ type: "response.created", response, sequence_number: 0, ...inEvent }));
      expect(dataOf(begun)).toEqual([{ type: "response.created", response, sequence_number: 0, ...inEvent }]);
      const item = { type: "new_item", id: "i", ...inItem };
      const at = { output_index: 0, ...inEvent };
      for (const type of ["response.output_item.added", "response.new.event", "response.output_item.done"])
        expect(dataOf(merger.push(event({ type, item, ...at })))).toMatchObject([{ type, item, ...at }]);
      expect(dataOf(merger.push(event({ type: "new.event", ...inEvent })))).toMatchObject([{ ...inEvent }]);
      expect(merger.message).toEqual({ type: "step", role: "assistant", content: [item] });
      merger.push(event({ type: "response.completed", response: { ...response, status: "completed" }, ...inEvent }));
      const end = dataOf(merger.finish()).at(-1);
      expect(end).toMatchObject({ ...inEvent, response: { ...inResponse, output: [item] } });
      expect(merger.whole()).toMatchObject({ ...inResponse, output: [item] });
    }),
  );
});

it("pieces of texts, lists by their index, and usage add up", () => {
  const target: JsonObject = {};
  const pieces: JsonObject[] = [
    { id: "c", text: "a", list: [{ index: 0, text: "x" }], none: null },
    {
      id: "c",
      text: "b",
      list: [
        { index: 1, text: "z" },
        { index: 0, text: "y" },
      ],
      none: 1,
    },
    { text: null },
  ];
  for (const piece of pieces) mergePiece(target, piece);
  const list = [
    { index: 0, text: "xy" },
    { index: 1, text: "z" },
  ];
  expect(target).toEqual({ id: "c", text: "ab", list, none: 1 });
  const sum = addUsage({ all: 1, details: { cached: 2 } }, { all: 2, details: { cached: 3, new: 1 }, tier: "x" });
  expect(sum).toEqual({ all: 3, details: { cached: 5, new: 1 }, tier: "x" });
});
