// OpenAI's Chat Completions, as strict as the real one about what a request must look like; `CHAT_RULES` has the rules with their
// sources. The fields are those of the API reference, and one that it does not know is refused ("Unrecognized request argument").

import * as z from "zod";
import { meteredUsage, type PrefixMeter } from "./prefix-meter";
import type { Move, Rule } from "./rule";

const text = z.strictObject({ type: z.literal("text"), text: z.string() });
const content = z.union([z.string(), z.array(text).min(1)]);
const message = z.discriminatedUnion("role", [
  z.strictObject({ role: z.enum(["system", "developer", "user"]), content, name: z.string().optional() }),
  z.strictObject({
    role: z.literal("assistant"),
    content: content.nullish(),
    refusal: z.string().nullish(),
    annotations: z.array(z.unknown()).optional(),
    tool_calls: z
      .array(
        z.strictObject({
          id: z.string(),
          type: z.literal("function"),
          function: z.strictObject({ name: z.string(), arguments: z.string() }),
        }),
      )
      .min(1)
      .optional(),
  }),
  z.strictObject({ role: z.literal("tool"), content, tool_call_id: z.string() }),
]);

/** What both APIs of the vendor ask of a function. */
export const functionFields = {
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
  description: z.string().optional(),
  parameters: z.looseObject({ type: z.literal("object", "schema must be a JSON Schema of 'type: \"object\"'") }),
};

export const chatSchema = z.strictObject({
  model: z.string().min(1),
  prompt_cache_key: z.string().max(64).optional(),
  stream: z.boolean().optional(),
  stream_options: z.strictObject({ include_usage: z.boolean() }).optional(),
  tools: z
    .array(z.strictObject({ type: z.literal("function"), function: z.strictObject(functionFields) }))
    .min(1, "[] is too short - 'tools'")
    .optional(),
  messages: z.array(message).min(1),
});

export type ChatRequest = z.infer<typeof chatSchema>;

const GUIDE = "platform.openai.com/docs: function calling";

export const CHAT_RULES = [
  {
    name: "a tool message answers a call before it",
    source: GUIDE,
    problem: ({ messages }) => {
      let open: string[] = [];
      for (const [index, each] of messages.entries()) {
        if (each.role === "assistant") open = each.tool_calls?.map(({ id }) => id) ?? [];
        else if (each.role !== "tool") open = [];
        else if (!open.includes(each.tool_call_id))
          return `Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'. (messages.[${index}].role)`;
      }
      return null;
    },
  },
  {
    name: "every call is answered before anything else is said",
    source: GUIDE,
    problem: ({ messages }) => {
      const open = new Set<string>();
      for (const each of [...messages, { role: "end" as const }]) {
        if (each.role === "tool") open.delete(each.tool_call_id);
        else if (open.size > 0)
          return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(", ")}`;
        if (each.role === "assistant") for (const { id } of each.tool_calls ?? []) open.add(id);
      }
      return null;
    },
  },
  {
    name: "the assistant said something or called something",
    source: "platform.openai.com/docs: API reference, create a chat completion",
    problem: ({ messages }) => {
      const empty = messages.findIndex(
        (each) => each.role === "assistant" && each.tool_calls === undefined && !each.content,
      );
      return empty === -1
        ? null
        : `Invalid value for 'content': expected a string, got null. (messages.[${empty}].content)`;
    },
  },
] as const satisfies readonly Rule<ChatRequest>[];

export function chatAnswer(
  request: ChatRequest,
  { calls, text: said }: Move,
  step: string,
  meter: PrefixMeter,
): object {
  const tool_calls = calls.map(({ name, input }, index) => ({
    id: `call_${step}_${index}`,
    type: "function",
    function: { name, arguments: JSON.stringify(input) },
  }));
  const ends = calls.length === 0;
  const answer = { role: "assistant", content: ends ? said : null, refusal: null, ...(ends ? {} : { tool_calls }) };
  const { input, cached } = meter.read([...(request.tools ?? []), ...request.messages]);
  return {
    ...{ id: `chatcmpl_${step}`, object: "chat.completion", created: 0, model: request.model },
    choices: [{ index: 0, message: answer, finish_reason: ends ? "stop" : "tool_calls", logprobs: null }],
    usage: meteredUsage("prompt", "completion", input, cached),
  };
}
