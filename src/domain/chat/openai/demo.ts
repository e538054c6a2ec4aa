// Writes answers of the scripted model as Chat Completions chunks.

import { isJsonObject, type JsonObject } from "../../json";
import type { DemoMove } from "../demo";

/** Returns the events of a stream, or one body if the request does not ask for a stream. */
export function demoCompletion(body: JsonObject, { text, calls, noteAt }: DemoMove, id: string): string {
  const model = noteAt === undefined ? "demo" : String(body.model);
  const shell = { id: `chatcmpl-${id}`, object: "chat.completion.chunk", created: noteAt ?? 0, model };
  const finish_reason = calls.length === 0 ? "stop" : "tool_calls";
  const size = JSON.stringify(body).length;
  const [prompt_tokens, completion_tokens] = [Math.ceil(size / 4), Math.ceil(text.length / 4) + calls.length];
  const usage = { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
  const made = calls.map(({ name, input }, index) => ({
    ...{ id: `call_${id}_${index}`, type: "function" },
    function: { name, arguments: JSON.stringify(input) },
  }));
  if (body.stream !== true) {
    const said = { role: "assistant", content: calls.length === 0 ? text : null, refusal: null };
    const message = calls.length === 0 ? said : { ...said, tool_calls: made };
    const choices = [{ index: 0, message, finish_reason, logprobs: null }];
    return JSON.stringify({ ...shell, object: "chat.completion", choices, usage });
  }
  const chunk = (delta: object, reason: string | null = null) => ({
    ...shell,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }],
  });
  const { stream_options: options } = body;
  const wantsUsage = isJsonObject(options) && options.include_usage === true && noteAt === undefined;
  const events: object[] = [
    chunk({ role: "assistant", content: calls.length === 0 ? "" : null, refusal: null }),
    ...made.map((one, index) => chunk({ tool_calls: [{ index, ...one }] })),
    ...(text.match(/\S+\s*/g) ?? []).map((content) => chunk({ content })),
    chunk({}, finish_reason),
    ...(wantsUsage ? [{ ...shell, choices: [], usage }] : []),
  ];
  return `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")}data: [DONE]\n\n`;
}
