// Writes answers of the scripted model as Responses events.

import { isJsonObject, type JsonObject } from "../../json";
import type { DemoMove } from "../demo";
import { ChatRefusal } from "../refusal";
import { isThoughtItem } from "./items";
import { asEvent } from "./responses-step";

/** Returns the events of a stream, or one body if the request does not ask for a stream. */
export function demoResponse(body: JsonObject, { text, calls, noteAt }: DemoMove, id: string): string {
  const isNote = noteAt !== undefined;
  const problem = thoughtProblem(Array.isArray(body.input) ? body.input.filter(isJsonObject) : []);
  if (problem !== null && !isNote) throw new ChatRefusal(400, "invalid_request", problem, { param: "input" });
  const isSealed = Array.isArray(body.include) && body.include.includes("reasoning.encrypted_content");
  const thought = {
    ...{ type: "reasoning", id: `rs_${id}`, summary: [] },
    ...(isSealed ? { encrypted_content: `sealed-${id}` } : {}),
  };
  const output: JsonObject[] = [
    ...(isNote ? [] : [thought]),
    ...calls.map(({ name, input }, index) => ({
      ...{ type: "function_call", id: `fc_${id}_${index}`, call_id: `call_${id}_${index}` },
      ...{ name, arguments: JSON.stringify(input), status: "completed" },
    })),
    ...(calls.length === 0 ? [messageOf(`msg_${id}`, text)] : []),
  ];
  const input_tokens = isNote ? 0 : Math.ceil(JSON.stringify(body).length / 4);
  const output_tokens = isNote ? 0 : Math.ceil(text.length / 4) + calls.length;
  const usage = {
    ...{ input_tokens, input_tokens_details: { cached_tokens: 0 } },
    ...{ output_tokens, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: input_tokens + output_tokens },
  };
  const { instructions, tools, tool_choice, parallel_tool_calls, text: format, metadata } = body;
  const asked: JsonObject = {
    ...{ instructions: instructions ?? null, tools: tools ?? [], tool_choice: tool_choice ?? "auto" },
    ...{ parallel_tool_calls: parallel_tool_calls ?? true, text: format ?? { format: { type: "text" } } },
    ...{ metadata: metadata ?? {}, store: false, error: null, incomplete_details: null },
  };
  const model = isNote ? String(body.model) : "demo";
  const begun = { id: `resp_${id}`, object: "response", created_at: noteAt ?? 0, model, ...asked };
  const done = { ...begun, status: "completed", output, usage };
  if (body.stream !== true) return JSON.stringify(done);
  const response = { ...begun, status: "in_progress", output: [], usage: null };
  const events: JsonObject[] = [
    { type: "response.created", response },
    { type: "response.in_progress", response },
    ...output.flatMap((item, index) => eventsOf(item).map((event) => ({ ...event, output_index: index }))),
    { type: "response.completed", response: done },
  ];
  return events.map((event, sequence_number) => asEvent({ ...event, sequence_number })).join("");
}

const messageOf = (id: string, text: string): JsonObject => ({
  ...{ type: "message", id, role: "assistant", status: "completed" },
  content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
});

function eventsOf(item: JsonObject): JsonObject[] {
  const added = (more: JsonObject) => ({ type: "response.output_item.added", item: { ...item, ...more } });
  const done = { type: "response.output_item.done", item };
  if (item.type === "reasoning") return [added({}), done];
  const at = { item_id: item.id ?? null };
  if (item.type === "function_call")
    return [
      added({ arguments: "", status: "in_progress" }),
      { type: "response.function_call_arguments.delta", ...at, delta: item.arguments ?? "" },
      { type: "response.function_call_arguments.done", ...at, name: item.name ?? "", arguments: item.arguments ?? "" },
      done,
    ];
  const [part] = Array.isArray(item.content) ? item.content.filter(isJsonObject) : [];
  const text = String(part?.text);
  const place = { ...at, content_index: 0 };
  return [
    added({ status: "in_progress", content: [] }),
    { type: "response.content_part.added", ...place, part: { ...part, text: "" } },
    ...(text.match(/\S+\s*/g) ?? []).map((delta) => ({
      ...{ type: "response.output_text.delta", ...place, delta, logprobs: [] },
    })),
    { type: "response.output_text.done", ...place, text, logprobs: [] },
    { type: "response.content_part.done", ...place, part: part ?? {} },
    done,
  ];
}

/** Returns the reason why a vendor would reject the reasoning items in a request, or `null`. */
function thoughtProblem(input: readonly JsonObject[]): string | null {
  for (const [at, item] of input.entries()) {
    if (!isThoughtItem(item)) continue;
    const next = input[at + 1];
    if (next === undefined || isThoughtItem(next) || next.role === "user")
      return `Item '${String(item.id)}' of type 'reasoning' was provided without its required following item.`;
    if (typeof item.encrypted_content !== "string")
      return `Item with id '${String(item.id)}' not found. Items are not persisted when \`store\` is set to false.`;
  }
  return null;
}
