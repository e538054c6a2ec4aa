// Writes answers of the scripted model as Messages events.

import type { JsonObject } from "../../json";
import type { DemoMove } from "../demo";

/** Returns the events of a stream, or one body if the request does not ask for a stream. */
export function demoMessage(body: JsonObject, { text, calls, noteAt }: DemoMove, id: string): string {
  const isNote = noteAt !== undefined;
  const thought = { type: "thinking", thinking: "What is asked?", signature: `signed-${id}` };
  const content: JsonObject[] = [
    ...(isNote ? [] : [thought]),
    ...calls.map(({ name, input }, index) => ({ type: "tool_use", id: `toolu_${id}_${index}`, name, input })),
    ...(calls.length === 0 ? [{ type: "text", text }] : []),
  ];
  const input_tokens = isNote ? 0 : Math.ceil(JSON.stringify(body).length / 4);
  const output_tokens = isNote ? 0 : Math.ceil(text.length / 4) + calls.length;
  const end = { stop_reason: calls.length === 0 ? "end_turn" : "tool_use", stop_sequence: null };
  const message = { id: `msg_${id}`, type: "message", role: "assistant", model: isNote ? String(body.model) : "demo" };
  if (body.stream !== true)
    return JSON.stringify({ ...message, content, ...end, usage: { input_tokens, output_tokens } });
  const begun = { ...message, content: [], stop_reason: null, stop_sequence: null };
  const events: { type: string; [field: string]: unknown }[] = [
    { type: "message_start", message: { ...begun, usage: { input_tokens, output_tokens: isNote ? 0 : 1 } } },
    ...content.flatMap((block, index) => [
      { type: "content_block_start", index, content_block: emptied(block) },
      ...piecesOf(block).map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: end, usage: { output_tokens } },
    { type: "message_stop" },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

function emptied(block: JsonObject): JsonObject {
  if (block.type === "text") return { ...block, text: "" };
  if (block.type === "thinking") return { ...block, thinking: "", signature: "" };
  return { ...block, input: {} };
}

function piecesOf({ type, text, thinking, signature, input }: JsonObject): JsonObject[] {
  if (type === "thinking")
    return [
      { type: "thinking_delta", thinking: thinking ?? "" },
      { type: "signature_delta", signature: signature ?? "" },
    ];
  if (type === "tool_use") return [{ type: "input_json_delta", partial_json: JSON.stringify(input) }];
  return (String(text).match(/\S+\s*/g) ?? []).map((piece) => ({ type: "text_delta", text: piece }));
}
